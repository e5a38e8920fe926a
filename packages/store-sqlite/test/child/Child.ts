// A script of this folder as a process of its own.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Effect } from "effect"

/** A child process with its lines of output, killed with the scope. */
export const child = (script: string, filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = new URL(`${script}.ts`, import.meta.url).pathname
      const process_ = spawn(process.execPath, ["--conditions=@muster/source", path, filename], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      const lines: AsyncIterator<string> = createInterface({ input: process_.stdout })[Symbol.asyncIterator]()
      return { process: process_, lines }
    }),
    ({ process: process_ }) => Effect.sync(() => process_.kill("SIGKILL"))
  )

export type Child = Effect.Success<ReturnType<typeof child>>

/** The next line, or undefined when the output has ended. */
export const nextLine = ({ lines }: Child) =>
  Effect.map(
    Effect.promise(() => lines.next()),
    (line) => (line.done === true ? undefined : line.value)
  )
