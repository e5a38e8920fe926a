// A world's jobs as the audit reads them from a store.
import type { Dossier } from "../../src/domain/audit/Dossier.ts"
import type { Finding } from "../../src/domain/audit/Finding.ts"
import { HostRegister } from "../../src/domain/audit/HostRegister.ts"
import { JobAudit } from "../../src/domain/audit/JobAudit.ts"
import type { LifecycleEvent } from "../../src/domain/LifecycleEvent.ts"
import type { Stored, World } from "../../src/model/world/World.ts"

export const eventsOf = ({ events, job }: Stored): ReadonlyArray<LifecycleEvent> =>
  events.map((event, index) => ({
    ...event,
    sequence: index + 1,
    eventId: `w-e${index + 1}`,
    jobId: job.jobId,
    correlationId: job.correlationId
  }))

/** Hosts that the store takes writes of are live, and beat. */
const hostsOf = ({ hosts, now }: World): HostRegister =>
  new HostRegister(
    hosts.map(({ epoch, host, living }) => ({ host, epoch, live: living, beatAt: now, enlistedAt: now })),
    now
  )

const linked = (world: World, seq: number | null): Dossier["original"] => {
  const stored = seq === null ? undefined : world.jobs.get(seq)
  return stored === undefined ? null : { ...stored.job, supersededBy: stored.supersededBy }
}

/** The newest of its chain of replays. */
const holderOf = (world: World, { job, supersededBy }: Stored): number => {
  const next = supersededBy === null ? undefined : world.jobs.get(supersededBy)
  return next === undefined ? job.seq : holderOf(world, next)
}

/** @param told what is different from what the world holds */
export const auditOf = (
  world: World,
  stored: Stored,
  told: {
    readonly events?: ReadonlyArray<LifecycleEvent>
    readonly completions?: number
    readonly hosts?: HostRegister
  } = {}
): ReadonlyArray<Finding> => {
  const events = told.events ?? eventsOf(stored)
  const { job, letter, markers, payload, result, retries } = stored
  const audit = new JobAudit(job, world.rules.catalogue, Number.MAX_SAFE_INTEGER)
  for (const row of retries) audit.addRetry(row)
  for (const event of events) audit.addEvent(event)
  const dossier = {
    job: { ...job, supersededBy: stored.supersededBy },
    payload,
    result,
    letter,
    markers: [...markers.values()],
    original: linked(world, job.replayOf),
    successor: linked(world, stored.supersededBy),
    keyHolder: holderOf(world, stored)
  }
  const census = { events: events.length, completions: told.completions ?? 0 }
  return audit.conclude(dossier, told.hosts ?? hostsOf(world), census).findings
}
