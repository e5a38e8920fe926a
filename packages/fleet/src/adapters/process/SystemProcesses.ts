/**
 * What the system tells about processes: from /proc on Linux, from ps and sysctl elsewhere. Reading only; what can't be read is null.
 */
import { execFile } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { Effect } from "effect"

export interface SystemProcess {
  readonly pid: number
  readonly pgid: number
  /** Dead, but not collected. */
  readonly isZombie: boolean
  /** In the system's own words, to be compared only. */
  readonly startTime: string
}

/** A text file, or null. Node decodes bytes that are no text, which a comparison doesn't mind. */
export const fileText = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

export const linkText = (path: string): string | null => {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** Output of a system's own program, in plain C, or null. Not effect/process: these need neither scope nor stream. */
export const commandText = (program: string, args: ReadonlyArray<string>): Effect.Effect<string | null> =>
  Effect.callback((resume, signal) => {
    // ps writes dates by locale and time zone; both must be the same each time.
    const env = { PATH: "/bin:/usr/bin:/sbin:/usr/sbin", LC_ALL: "C", TZ: "UTC" }
    execFile(program, args, { env, maxBuffer: 67_108_864, signal }, (error, stdout) =>
      resume(Effect.succeed(error === null ? stdout : null))
    )
  })

/** Whether the system has /proc as Linux has it. */
export const hasProc = process.platform === "linux"

/** Pids of all processes that can be seen (Linux). */
export const procPids = (): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
  } catch {
    return []
  }
}

/** One process as /proc tells it (Linux); null when it is gone or hidden. */
export const procStat = (pid: number): SystemProcess | null => {
  const text = fileText(`/proc/${pid}/stat`)
  if (text === null) return null
  // The second field holds the name in parentheses, which may hold anything; the third is the state, the 22nd the start.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, , pgid] = fields
  return {
    pid,
    pgid: Number(pgid),
    isZombie: state === "Z" || state === "X",
    startTime: fields[19] ?? ""
  }
}

/** Whether a pid is taken; zombies count. A process of somebody else is there, too. */
export const isTaken = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
