// Hosts of LandingHost.ts as processes in a scratch folder, told by what they write and by the events of their store.
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

export { isAlive } from "../run/MusterProcess.ts"

const source = "--conditions=@muster/source"
const script = join(import.meta.dirname, "LandingHost.ts")
const bin = join(import.meta.dirname, "../../bin/muster.js")

export interface Host {
  /** Its number in the store. */
  readonly host: number
  readonly freeze: () => void
  readonly thaw: () => void
  /** The code with which it came to its end by itself. */
  readonly ended: Promise<string>
  readonly kill: () => Promise<void>
}

interface Event {
  readonly event: string
  readonly job_id: string
  readonly sequence: number
  readonly actor: string
  readonly transition_reason: string
}

const startIn = (folder: string, file: string, children: Array<ChildProcess>) => async (): Promise<Host> => {
  const child = spawn(process.execPath, [source, script, file, folder], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  children.push(child)
  const said: Array<string> = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.push(line)
    for (const look of waiting) look()
  })
  const word = (name: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = said.find((line) => line.startsWith(`${name} `))
        if (found !== undefined) resolve(found.slice(name.length + 1))
      }
      waiting.add(look)
      child.once("close", () => reject(new Error(`it ended without saying "${name}": ${said.join("; ")}`)))
      look()
    })
  const ended = word("ended")
  // whoever isn't asked how it ended was killed by the test
  ended.catch(() => undefined)
  const host = Number(await word("host"))
  return {
    host,
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
    ended,
    kill: async () => {
      const closed = once(child, "close")
      child.kill("SIGKILL")
      await closed
    }
  }
}

const sceneIn = (folder: string, children: Array<ChildProcess>) => {
  const file = join(folder, "fleet.db")
  const muster = (...args: ReadonlyArray<string>): string =>
    execFileSync(process.execPath, [source, bin, ...args, "--store", file], { encoding: "utf8" })
  const lines = (name: string): ReadonlyArray<string> => {
    try {
      return readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean)
    } catch {
      return []
    }
  }
  const events = (): ReadonlyArray<Event> =>
    muster("events", "--json", "--limit", "999")
      .split("\n")
      .filter(Boolean)
      // lines of the command's own documents
      .map((line) => JSON.parse(line) as Event)
  /** Looks again whenever something is written in the folder: stores, agents and landers do. */
  const until = (wanted: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!wanted()) return
        watcher.close()
        clearInterval(floor)
        resolve()
      }
      const watcher = watch(folder, look)
      // a process that ends writes nothing
      const floor = setInterval(look, 100)
      look()
    })
  return {
    folder,
    lines,
    start: startIn(folder, file, children),
    touch: (name: string): void => writeFileSync(join(folder, name), ""),
    submit: (n: number): void => void muster("submit", "-w", "wait", String(n)),
    events,
    until,
    /** The last beat of the host that is not over, epoch ms. */
    beatAt: (): number => {
      // the command's own document
      const { hosts } = JSON.parse(muster("status", "--json")) as {
        hosts: ReadonlyArray<{ beat_at: string }>
      }
      return Date.parse(hosts[0]?.beat_at ?? "")
    },
    event: (wanted: (event: Event) => boolean): Promise<void> => until(() => events().some(wanted))
  }
}

/** A scratch folder that is gone, with all hosts, when `use` is done. */
export const inScene = async (use: (scene: ReturnType<typeof sceneIn>) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "muster-host-"))
  const children: Array<ChildProcess> = []
  try {
    await use(sceneIn(folder, children))
  } finally {
    for (const child of children) child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
}
