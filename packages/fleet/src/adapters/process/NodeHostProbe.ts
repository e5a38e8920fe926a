/**
 * HostProbe on Linux and macOS. A pid is proof only together with the time at which its process started, and only on the same
 * machine, in the same space of pids, since the same start of the machine.
 */
import { hostname } from "node:os"
import { Effect, Layer } from "effect"
import { type HostIdentity, HostProbe, type Liveness } from "./HostProbe.ts"
import * as System from "./SystemProcesses.ts"

/** Everything of an identity but its process. */
type Place = Pick<HostIdentity, "machine" | "boot_id">

// Clones of one image share a machine id, and containers of one machine share all but their host name and space of pids.
const linuxPlace = Effect.sync((): Place => ({
  machine: [
    System.fileText("/etc/machine-id")?.trim() ?? "",
    hostname(),
    System.linkText("/proc/self/ns/pid") ?? ""
  ].join("/"),
  boot_id: System.fileText("/proc/sys/kernel/random/boot_id")?.trim() ?? null
}))

const sysctl = (name: string) =>
  Effect.map(System.commandText("sysctl", ["-n", name]), (text) => text?.trim() || null)

const otherPlace = Effect.gen(function* () {
  const uuid = yield* sysctl("kern.uuid")
  const boot = yield* sysctl("kern.bootsessionuuid")
  return { machine: `${uuid ?? ""}/${hostname()}`, boot_id: boot }
})

/** Empty: the process is there, but the system doesn't tell since when. Null: it is not there, or dead. */
const startTime = (pid: number): Effect.Effect<string | null> => {
  if (!System.isTaken(pid)) return Effect.succeed(null)
  if (!System.hasProc)
    return Effect.map(System.commandText("ps", ["-o", "lstart=", "-p", String(pid)]), (text) =>
      text === null ? (System.isTaken(pid) ? "" : null) : text.trim()
    )
  return Effect.sync(() => {
    const found = System.procStat(pid)
    if (found === null) return System.isTaken(pid) ? "" : null
    return found.isZombie ? null : found.startTime
  })
}

/** What two places and the process found at the pid prove. `started` as `startTime` answers. */
export const judge = (here: Place, identity: HostIdentity, started: string | null): Liveness => {
  if (here.machine !== identity.machine || here.boot_id === null || identity.boot_id === null)
    return "unknown"
  if (here.boot_id !== identity.boot_id) return "gone"
  if (started === null) return "gone"
  if (started === "" || identity.start_time === "") return "unknown"
  return started === identity.start_time ? "alive" : "gone"
}

export const layer: Layer.Layer<HostProbe> = Layer.effect(
  HostProbe,
  Effect.gen(function* () {
    const place = yield* System.hasProc ? linuxPlace : otherPlace
    const pid = process.pid
    const self: HostIdentity = { ...place, pid, start_time: (yield* startTime(pid)) ?? "" }
    return HostProbe.of({
      self: Effect.succeed(self),
      probe: Effect.fn("HostProbe.probe")((identity: HostIdentity) =>
        Effect.map(startTime(identity.pid), (started) => judge(place, identity, started))
      )
    })
  })
)
