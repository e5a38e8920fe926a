// A command on a terminal of its own: `script` of util-linux makes one, a shell in it says afterwards how the terminal was left.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

const bin = join(import.meta.dirname, "../../bin/muster.js")

/** Another `script` takes other arguments, and there is none everywhere. */
export const hasTerminals = String(spawnSync("script", ["--version"]).stdout).includes("util-linux")

export interface Pty {
  /** Types into the terminal. */
  readonly type: (keys: string) => void
  /** Resolves when the terminal has been sent this; answers all that came so far. */
  readonly shown: (text: string | RegExp) => Promise<string>
  /** All that came, when the shell is over. */
  readonly ended: Promise<string>
}

/** `muster <words>` on a terminal of that size; its number is in the file `pid`, and what `stty` says after it comes last. */
export const onTerminal = (
  folder: string,
  env: NodeJS.ProcessEnv,
  words: string,
  size: { readonly columns: number; readonly rows: number }
): Pty => {
  const muster = `"${process.execPath}" --conditions=@muster/source "${bin}" ${words}`
  const line = [
    `stty cols ${size.columns} rows ${size.rows}`,
    `sh -c 'echo $$ > pid; exec ${muster}'`,
    'echo "left with $?"',
    "stty -a"
  ].join("; ")
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: folder,
    env: { ...env, TERM: "xterm-256color", CI: "", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "inherit"]
  })
  let out = ""
  const waiting = new Set<() => void>()
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString()
    for (const look of waiting) look()
  })
  const closed = once(child, "close")
  return {
    type: (keys) => child.stdin.write(keys),
    shown: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (typeof text === "string" ? !out.includes(text) : !text.test(out)) return
          waiting.delete(look)
          resolve(out)
        }
        waiting.add(look)
        child.once("close", () => reject(new Error(`it ended without showing ${text}: ${out}`)))
        look()
      }),
    ended: (async () => {
      await closed
      return out
    })()
  }
}
