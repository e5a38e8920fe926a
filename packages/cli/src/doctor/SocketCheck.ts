/**
 * The sockets beside the store: whether they are their owner's alone, and whether hosts have left some that are no more.
 */
import { existsSync } from "node:fs"
import { ControlSockets } from "@muster/fleet"
import { LeftSockets } from "@muster/fleet/control"
import * as Effect from "effect/Effect"
import { counted, type Diagnosis, of } from "./Diagnosis.ts"
import type { HostsSeen } from "./HostCheck.ts"

const { bad, fixed, ok, warn } = of("sockets")

/** Whether the host of that number may live: then what it has made is its own, whoever answers there. */
const mayLive = ({ open }: HostsSeen, host: number): boolean =>
  open.some(({ liveness, row }) => row.host === host && liveness !== "gone")

const checkOne = Effect.fnUntraced(function* (seen: LeftSockets.SocketSeen, hosts: HostsSeen, fix: boolean) {
  const { entry, host, isOwn, listening } = seen
  if (!isOwn)
    return warn(`${entry} is no socket of this user's: nobody asks it`, "find out who has put it there")
  if (listening === "there") return null
  if (listening === "unknown")
    return warn(
      `${entry} doesn't answer`,
      "its host is stopped or overloaded: commands use the store meanwhile"
    )
  if (mayLive(hosts, host))
    return warn(
      `nobody listens at ${entry}, but host ${host} may live`,
      "its log says why; commands use the store meanwhile"
    )
  const left = `${entry} was left by host ${host}, which is no more`
  if (!fix) return warn(left, "the next host that starts clears it away; so does muster doctor --fix")
  return (yield* LeftSockets.clear(seen))
    ? fixed(`${left}: removed`)
    : bad(`${left}, and can't be removed`, null)
})

export const checkSockets = Effect.fnUntraced(function* (file: string, hosts: HostsSeen, fix: boolean) {
  const folder = ControlSockets.folderOf(file)
  const found: Array<Diagnosis> = []
  if (existsSync(folder) && !ControlSockets.isPrivate(folder))
    found.push(
      bad(
        `${folder} is open to others: who may connect may steer the fleet`,
        `chmod 700 ${folder}, as its owner`
      )
    )
  const seen = yield* LeftSockets.look(file)
  for (const one of seen) {
    const diagnosis = yield* checkOne(one, hosts, fix)
    if (diagnosis !== null) found.push(diagnosis)
  }
  const answering = seen.filter(({ listening }) => listening === "there").length
  if (found.length === 0)
    found.push(
      ok(answering === 0 ? "none" : `${counted(answering, "host")} ${answering === 1 ? "listens" : "listen"}`)
    )
  return found
})
