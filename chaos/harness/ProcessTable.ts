/**
 * The processes of this machine, by what stands in their environment (Linux). Nothing is ever found by its name.
 */
import { readdirSync, readFileSync } from "node:fs"

export interface ProcessEntry {
  readonly pid: number
  readonly environment: ReadonlyMap<string, string>
  /** Its command line, for people. */
  readonly command: string
}

const text = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

/** Not there, or dead and not collected. */
const isGone = (pid: number): boolean => {
  const stat = text(`/proc/${pid}/stat`)
  return stat === null || /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))
}

/** Living processes that carry the variable with this value. */
export const carriers = (variable: string, value: string): ReadonlyArray<ProcessEntry> =>
  readdirSync("/proc").flatMap((entry) => {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === process.pid) return []
    const environ = text(`/proc/${pid}/environ`)
    if (environ === null || !environ.includes(`${variable}=${value}`) || isGone(pid)) return []
    const environment = new Map(
      environ.split("\0").map((pair) => {
        const at = pair.indexOf("=")
        return [pair.slice(0, at), pair.slice(at + 1)] as const
      })
    )
    if (environment.get(variable) !== value) return []
    const command = text(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim() ?? ""
    return [{ pid, environment, command }]
  })

/** Sends a signal; a process that is gone already is none of our business. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // gone
  }
}
