/**
 * ProcessReaper on Linux (/proc) and macOS (ps). The token is looked at right before each kill; this process and its own group are never
 * touched, even where an agent runs a command on the store of its own fleet.
 */
import { Effect, Layer } from "effect"
import * as GroupSignal from "./GroupSignal.ts"
import { ProcessReaper, type ReapedProcess } from "./ProcessReaper.ts"
import * as System from "./SystemProcesses.ts"

const variable = "MUSTER_TOKEN="
/** Looks for carriers until none is left; a process that forks is found by the next look. */
const looks = { most: 250, pauseMillis: 20 }

/** Carriers among all processes, from /proc. An environment that can't be read is somebody else's. */
const fromProc = (tokens: ReadonlySet<string>): ReadonlyArray<ReapedProcess> =>
  System.procPids().flatMap((pid) => {
    const carried = System.fileText(`/proc/${pid}/environ`)
      ?.split("\0")
      .find((entry) => entry.startsWith(variable))
      ?.slice(variable.length)
    if (carried === undefined || !tokens.has(carried)) return []
    const found = System.procStat(pid)
    return found === null || found.isZombie ? [] : [{ pid, pgid: found.pgid, token: carried }]
  })

/** One line of ps: pid, group, state, and what follows. */
const psLine = /^\s*(\d+)\s+(\d+)\s+(\S+)\s(.*)$/

const psLines = (text: string) =>
  text.split("\n").flatMap((line) => {
    const [, pid, pgid, state = "", rest = ""] = psLine.exec(line) ?? []
    return pid === undefined || state.startsWith("Z") ? [] : [{ pid: Number(pid), pgid: Number(pgid), rest }]
  })

/** Carriers from two outputs of ps. The environment is what the first says beyond the second, so that an argument is not taken for it. */
export const carriersOf = (
  withEnvironment: string,
  without: string,
  tokens: ReadonlySet<string>
): ReadonlyArray<ReapedProcess> => {
  const commands = new Map(psLines(without).map(({ pid, rest }) => [pid, rest.trimEnd()]))
  return psLines(withEnvironment).flatMap(({ pid, pgid, rest }) => {
    const command = commands.get(pid)
    if (command === undefined || !rest.startsWith(command)) return []
    const carried = rest
      .slice(command.length)
      .split(" ")
      .find((entry) => entry.startsWith(variable))
      ?.slice(variable.length)
    return carried !== undefined && tokens.has(carried) ? [{ pid, pgid, token: carried }] : []
  })
}

const fromPs = Effect.fnUntraced(function* (tokens: ReadonlySet<string>) {
  const columns = ["-o", "pid=,pgid=,stat=,command="]
  const without = yield* System.commandText("ps", ["-axww", ...columns])
  const withEnvironment = yield* System.commandText("ps", ["-axEww", ...columns])
  return carriersOf(withEnvironment ?? "", without ?? "", tokens)
})

const ownGroup = (carriers: ReadonlyArray<ReapedProcess>): number | null =>
  (System.hasProc
    ? System.procStat(process.pid)?.pgid
    : carriers.find(({ pid }) => pid === process.pid)?.pgid) ?? null

const carriers = Effect.fnUntraced(function* (tokens: ReadonlySet<string>) {
  const found = System.hasProc ? fromProc(tokens) : yield* fromPs(tokens)
  const own = ownGroup(found)
  return found.filter(({ pgid, pid }) => pid !== process.pid && pgid !== own && pgid > 1)
})

const pause = Effect.callback<void>((resume) => {
  // Real time: processes know no other, under a TestClock too.
  const timer = setTimeout(() => resume(Effect.void), looks.pauseMillis)
  return Effect.sync(() => clearTimeout(timer)) // as above
})

const asked = (tokens: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(tokens.filter((token) => token !== ""))

const find = Effect.fn("ProcessReaper.find")(function* (tokens: ReadonlyArray<string>) {
  const wanted = asked(tokens)
  return wanted.size === 0 ? [] : yield* carriers(wanted)
})

const reap = Effect.fn("ProcessReaper.reap")(function* (tokens: ReadonlyArray<string>) {
  const wanted = asked(tokens)
  const seen = new Map<number, ReapedProcess>()
  let alive: ReadonlyArray<ReapedProcess> = []
  if (wanted.size > 0)
    for (let look = 0; look < looks.most; look += 1) {
      alive = yield* carriers(wanted)
      if (alive.length === 0) break
      for (const carrier of alive) {
        seen.set(carrier.pid, carrier)
        GroupSignal.send(carrier.pgid, "SIGKILL")
      }
      yield* pause
    }
  const left = new Set(alive.map(({ pid }) => pid))
  return { killed: Array.from(seen.values()).filter(({ pid }) => !left.has(pid)), left: alive }
})

export const layer: Layer.Layer<ProcessReaper> = Layer.succeed(ProcessReaper, { find, reap })
