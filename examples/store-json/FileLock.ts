// One writer at a time, among all processes of this machine: whoever can make the lock's file has the lock. The file says who that is, so
// that a lock whose process was killed can be told from one that is held.
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { StoreBroken, StoreBusy } from "@muster/core"
import { Effect, Predicate, Schedule } from "effect"

const me = `${process.pid} ${randomUUID()}` // a number may be used again by another process, the rest isn't
const codeOf = (cause: unknown) => (cause as NodeJS.ErrnoException).code // what node:fs throws has one
const isBusy = Predicate.isTagged("ORCH_STORE_BUSY")

/** Makes the file with its content at one stroke, and answers whether this call has made it. */
const make = (path: string): boolean => {
  const draft = `${path}.${randomUUID()}`
  try {
    fs.writeFileSync(draft, me)
    fs.linkSync(draft, path)
    return true
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false
    throw cause
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

const isGone = (holder: string): boolean => {
  if (holder.startsWith(`${process.pid} `)) return holder !== me
  try {
    return !process.kill(Number.parseInt(holder, 10), 0) // signal 0 only asks
  } catch (cause) {
    return codeOf(cause) === "ESRCH"
  }
}

/** Takes a dead process's lock away, under a lock of its own: two who do so at once could take a living one's. */
const clear = (path: string): void => {
  if (!make(`${path}.clearing`)) return
  try {
    if (isGone(fs.readFileSync(path, "utf8"))) fs.rmSync(path)
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause // its holder is done
  } finally {
    fs.rmSync(`${path}.clearing`)
  }
}

const take = Effect.fnUntraced(function* (path: string) {
  const made = yield* Effect.try({
    try: () => make(path) || (clear(path), make(path)),
    catch: (cause) => new StoreBroken({ operation: "lock", detail: String(cause), cause })
  })
  if (!made) return yield* new StoreBusy({ operation: "lock", detail: `${path} is held` })
})

export const withLock = (path: string) => {
  const taken = Effect.retry(take(path), { schedule: Schedule.spaced("2 millis"), times: 50, while: isBusy })
  const free = () => Effect.sync(() => fs.rmSync(path))
  return <A, E>(work: Effect.Effect<A, E>) => Effect.acquireUseRelease(taken, () => work, free)
}
