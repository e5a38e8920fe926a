/**
 * The only place that runs effects: the command with this process's arguments, files, streams and signals.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { program } from "./Program.ts"

// whoever reads us may stop reading, as head does: what is left unsaid then is nobody's loss
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
})

NodeRuntime.runMain(Effect.provide(program(process.argv.slice(2)), NodeServices.layer), {
  disableErrorReporting: true
})
