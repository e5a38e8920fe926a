/**
 * Why an agent without a mailbox on this host can't be written to, from its job's row; and which of the mailboxes that are kept for a next
 * incarnation have to be given up, since that never comes, or comes elsewhere.
 */
import {
  type HostRow,
  isOver,
  type Job,
  Store,
  type StoreService,
  type UndeliverableReason
} from "@muster/core"
import { Effect } from "effect"
import { patiently } from "../loop/Host.ts"
import type { PostOffice } from "./PostOffice.ts"

/** Between two looks at the mailboxes that are kept, in milliseconds. */
const lookMillis = 1_000
const pageSize = 500

/** Of a job whose agent has no mailbox here. */
const reasonOf = (self: HostRow, { agent, state }: Job): UndeliverableReason => {
  if (isOver(state)) return "ended"
  if (agent === null) return "not_started"
  const { owner } = agent
  if (owner === null) return "between_lives"
  // An agent that works here and has no mailbox takes no messages.
  return owner.host === self.host && owner.epoch === self.epoch ? "not_listening" : "not_on_this_host"
}

/** What the store knows of the consumer of a message that has no mailbox here. */
export interface Stranger {
  /** Why it can't be written to as it stands. */
  readonly reason: UndeliverableReason
  /** Its job, where there is one. */
  readonly job: Pick<Job, "seq" | "jobId" | "workflowType"> | null
}

/** By a job's id. A store that doesn't answer knows of nobody on another host. */
export const whyNot =
  (store: StoreService, self: HostRow) =>
  (jobId: string): Effect.Effect<Stranger> =>
    patiently(store.job(jobId)).pipe(
      Effect.map(({ job }): Stranger => ({ reason: reasonOf(self, job), job })),
      Effect.catch((error) => {
        const reason = error._tag === "ORCH_JOB_NOT_FOUND" ? "no_such_agent" : "not_on_this_host"
        return Effect.succeed<Stranger>({ reason, job: null })
      })
    )

/** Gives up the mailboxes of agents whose job is over, or whose next incarnation is another host's. */
const look = Effect.fnUntraced(function* (office: PostOffice, self: HostRow) {
  const store = yield* Store
  const held = office.held()
  const seqs = [...held.keys()]
  for (let from = 0; from < seqs.length; from += pageSize) {
    const page = seqs.slice(from, from + pageSize)
    const rows = yield* patiently(store.jobs({ by: "seq", seqs: page, bodies: false }))
    const found = new Map(rows.map(({ job }) => [job.seq, job]))
    for (const seq of page) {
      const job = found.get(seq)
      const reason = job === undefined ? "ended" : reasonOf(self, job)
      if (reason === "ended" || reason === "not_on_this_host")
        office.remove(held.get(seq) ?? "", reason === "ended" ? "unread" : reason)
    }
  }
})

/** Looks from time to time, for as long as its scope lasts; costs nothing while no mailbox is kept. */
export const keepLooking = (office: PostOffice, self: HostRow) =>
  Effect.sleep(lookMillis).pipe(
    Effect.andThen(Effect.suspend(() => (office.held().size === 0 ? Effect.void : look(office, self)))),
    Effect.catch((error) => Effect.logWarning("the mailboxes that are kept could not be looked at", error)),
    Effect.forever
  )
