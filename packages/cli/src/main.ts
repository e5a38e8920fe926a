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

// A terminal that closes ends a run in order, as SIGTERM does. Without one it is nohup's wish to go on, which Node.js has undone.
const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
process.on("SIGHUP", () => hasTerminal && process.emit("SIGTERM"))

NodeRuntime.runMain(Effect.provide(program(args), NodeServices.layer), {
  disableErrorReporting: true,
  teardown: (exit, onExit) => teardown(exit, (code) => onExit(exitCodeOf(code)))
})
