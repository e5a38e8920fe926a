/**
 * The only place that runs effects: the command with this process's arguments, files, streams and signals.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { teardown } from "./Following.ts"
import { exitCodeOf, watch } from "./output/Listener.ts"
import { program, wantsJson } from "./Program.ts"

const args = process.argv.slice(2)

watch(process, wantsJson(args))

NodeRuntime.runMain(Effect.provide(program(args), NodeServices.layer), {
  disableErrorReporting: true,
  teardown: (exit, onExit) => teardown(exit, (code) => onExit(exitCodeOf(code)))
})
