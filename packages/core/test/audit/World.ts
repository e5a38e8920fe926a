// A world's jobs as the audit reads them from a store.
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
    job,
    payload,
    result,
    letter,
    markers: [...markers.values()],
    original: null,
    successor: null,
    keyHolder: job.seq
  }
  const census = { events: events.length, completions: told.completions ?? 0 }
  return audit.conclude(dossier, told.hosts ?? hostsOf(world), census).findings
}
