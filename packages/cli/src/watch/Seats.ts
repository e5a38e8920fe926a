/**
 * Who sits where: an agent keeps its row for as long as it is there, a newcomer takes the first free one. So a fleet that churns stays
 * readable: only the rows whose agents change, change.
 */
import type { AgentLook } from "./FleetLook.ts"

/** Rows by who sits in them, from 0; each host's agents sit together. */
export type Seats = ReadonlyMap<string, number>

export const noSeats: Seats = new Map()

const keyOf = ({ host, jobId }: AgentLook): string => `${host}/${jobId}`

/** Gives everybody a seat. */
export const seat = (seats: Seats, agents: ReadonlyArray<AgentLook>): Seats => {
  const next = new Map<string, number>()
  const taken = new Map<number, Set<number>>()
  const newcomers: Array<AgentLook> = []
  const takenOn = (host: number): Set<number> => {
    const known = taken.get(host) ?? new Set()
    taken.set(host, known)
    return known
  }
  for (const agent of agents) {
    const place = seats.get(keyOf(agent))
    if (place === undefined) newcomers.push(agent)
    else {
      next.set(keyOf(agent), place)
      takenOn(agent.host).add(place)
    }
  }
  /** Where the search for a free seat goes on. */
  const from = new Map<number, number>()
  for (const agent of newcomers) {
    const busy = takenOn(agent.host)
    let place = from.get(agent.host) ?? 0
    while (busy.has(place)) place++
    from.set(agent.host, place + 1)
    next.set(keyOf(agent), place)
  }
  return next
}

export const placeOf = (seats: Seats, agent: AgentLook): number => seats.get(keyOf(agent)) ?? 0
