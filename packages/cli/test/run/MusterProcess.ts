// The command as a process of its own in a scratch folder, told by what it prints.
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, watch as onChange, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const bin = join(import.meta.dirname, "../../bin/muster.js")
const node = [process.execPath, "--conditions=@muster/source"] as const

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

interface Running {
  readonly child: ChildProcess
  /** Everything on standard output so far. */
  readonly out: () => string
  /** Resolves when standard output has it. */
  readonly said: (text: string | RegExp) => Promise<void>
  /** Resolves when standard error has it. */
  readonly told: (text: string | RegExp) => Promise<void>
  readonly ended: Promise<Ended>
}

const watch = (child: ChildProcess): Running => {
  let out = ""
  let err = ""
  const waiting = new Set<() => void>()
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk.toString()
    for (const look of waiting) look()
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    err += chunk.toString()
    for (const look of waiting) look()
  })
  const when = (heard: () => string, text: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (typeof text === "string" ? !heard().includes(text) : !text.test(heard())) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      child.once("close", () => reject(new Error(`it ended without saying ${text}: ${out}${err}`)))
      look()
    })
  const said = (text: string | RegExp) => when(() => out, text)
  const told = (text: string | RegExp) => when(() => err, text)
  const ended = (async (): Promise<Ended> => {
    const [code, signal] = await once(child, "close")
    return {
      code: typeof code === "number" ? code : null,
      signal: typeof signal === "string" ? signal : null,
      out,
      err
    }
  })()
  return { child, out: () => out, said, told, ended }
}

/** A scratch folder that is gone when `use` is done, and the command in it. */
export const inFolder = async (use: (scene: Scene) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "muster-run-"))
  try {
    await use(sceneIn(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const sceneIn = (folder: string) => {
  // Started by nobody's package manager, whichever of them runs the tests: what the command tells to type depends on that.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"))
  const env = { ...Object.fromEntries(own), NO_COLOR: "1", MUSTER_STORE: undefined, MUSTER_CONFIG: undefined }
  const path = (name: string): string => join(folder, name)
  const spawned = (
    args: ReadonlyArray<string>,
    stdin: "ignore" | "pipe",
    more: Readonly<Record<string, string>> = {}
  ): Running => {
    const [program, ...rest] = [...node, bin, ...args]
    const options = { cwd: folder, env: { ...env, ...more } }
    return watch(spawn(program ?? "", rest, { ...options, stdio: [stdin, "pipe", "pipe"] }))
  }
  const lines = (name: string): ReadonlyArray<string> => {
    try {
      return readFileSync(path(name), "utf8").split("\n").filter(Boolean).toSorted()
    } catch {
      return []
    }
  }
  return {
    folder,
    path,
    env,
    /** Nobody types, nothing is piped in. */
    start: (...args: ReadonlyArray<string>): Running => spawned(args, "ignore"),
    /** The same with more in its environment. */
    startWith: (more: Readonly<Record<string, string>>, args: ReadonlyArray<string>): Running =>
      spawned(args, "ignore", more),
    pipe: (input: string, ...args: ReadonlyArray<string>): Running => {
      const running = spawned(args, "pipe")
      running.child.stdin?.end(input)
      return running
    },
    /** Runs a line in a shell, in the folder. */
    shell: (line: string): Ended => {
      const out = execFileSync("sh", ["-c", line], { cwd: folder, env, encoding: "utf8" })
      return { code: 0, signal: null, out, err: "" }
    },
    write: (name: string, lines: ReadonlyArray<unknown>): string => {
      writeFileSync(path(name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
      return name
    },
    /** Writes a file as it is. */
    put: (name: string, text: string): void => writeFileSync(path(name), text),
    /** Lines of a file, sorted; none if there is no file yet. */
    lines,
    /** Resolves when there is a line in the file. */
    appeared: (name: string): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (lines(name).length === 0) return
          watcher.close()
          resolve()
        }
        const watcher = onChange(folder, look)
        look()
      })
  }
}

export type Scene = ReturnType<typeof sceneIn>

/** Whether a process is there and not yet dead. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    try {
      process.kill(pid, 0)
      return process.platform !== "linux"
    } catch {
      return false
    }
  }
}

/** The last line of a run with --json. */
export const summaryIn = (out: string): Readonly<Record<string, unknown>> =>
  // an object, as every line is
  JSON.parse(out.trimEnd().split("\n").at(-1) ?? "{}") as Readonly<Record<string, unknown>>
