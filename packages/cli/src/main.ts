/**
 * The only place that runs effects: the command with this process's arguments, files, streams and signals.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { teardown } from "./Following.ts"
import { watch } from "./output/Listener.ts"
import { program } from "./Program.ts"

watch(process.stdout)

NodeRuntime.runMain(Effect.provide(program(process.argv.slice(2)), NodeServices.layer), {
  disableErrorReporting: true,
  teardown
})
