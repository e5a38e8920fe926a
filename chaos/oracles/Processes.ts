/**
 * What still runs when every host has stopped.
 */
import { Effect } from "effect"
import { carriers } from "../harness/ProcessTable.ts"
import { stageVariable } from "../HostProtocol.ts"
import type { Oracle } from "./Evidence.ts"

export const noProcessSurvives: Oracle = {
  name: "no process survives its fleet",
  judge: ({ stage }) =>
    Effect.sync(() =>
      carriers(stageVariable, stage).map(
        ({ command, environment, pid }) =>
          `process ${pid} survives, of job ${environment.get("MUSTER_JOB_ID") ?? "none"}: ${command.slice(0, 80)}`
      )
    )
}
