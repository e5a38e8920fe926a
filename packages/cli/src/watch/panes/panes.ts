/**
 * All panes, in the order of their keys.
 */
import type { PaneName } from "../BoardState.ts"
import { agentsPane } from "./AgentsPane.ts"
import { holdsPane } from "./HoldsPane.ts"
import { hostsPane } from "./HostsPane.ts"
import { lettersPane } from "./LettersPane.ts"
import type { Pane } from "./Pane.ts"
import { queuePane } from "./QueuePane.ts"
import { retriesPane } from "./RetriesPane.ts"

export const paneOf: Readonly<Record<PaneName, Pane>> = {
  agents: agentsPane,
  queue: queuePane,
  retries: retriesPane,
  letters: lettersPane,
  holds: holdsPane,
  hosts: hostsPane
}
