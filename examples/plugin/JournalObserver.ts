// An observer: every event of the fleet as a line of a file. It can neither stop nor slow what it watches.
import { appendFile } from "node:fs/promises"
import type { LifecycleEvent, Observer } from "@muster/core"
import { Effect } from "effect"

export const lineOf = (event: LifecycleEvent): string => `${JSON.stringify(event)}\n`

export const journalObserver = (file: string): Observer => ({
  name: "journal",
  observe: (events) => Effect.tryPromise(() => appendFile(file, events.map(lineOf).join("")))
})
