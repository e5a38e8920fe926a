/**
 * Fault points around the spawn of an agent's process: after it, the process runs and nobody has heard of it. The runner has no hook
 * there, so the built-in function is wrapped for this process.
 */
import childProcess from "node:child_process"
import { syncBuiltinESMExports } from "node:module"
import { pass } from "./FaultPoints.ts"

export const watchSpawns = (): void => {
  const { spawn } = childProcess
  const pointed = (...given: Parameters<typeof spawn>) => {
    pass("spawn:before")
    const child = spawn(...given)
    pass("spawn:after")
    return child
  }
  // The overloads differ in what they allow, not in what is handed on.
  childProcess.spawn = pointed as typeof spawn
  syncBuiltinESMExports()
}
