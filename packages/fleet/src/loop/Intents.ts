/**
 * What operators want, read from the store and handed to the loop: level, not edge, so that nothing depends on the order in which
 * hints arrive (R11). Which host carries an intent out follows from who owns the job.
 */
import { type HostRow, type Signal, Store } from "@muster/core"
import { Effect } from "effect"

const pageSize = 500

/** One look at the intents that nobody has settled. */
export const makeLook = Effect.fnUntraced(function* (self: HostRow, post: (signal: Signal) => void) {
  const store = yield* Store
  const look = Effect.gen(function* () {
    const open = yield* store.records({ kind: "intents", job: null, after: 0, limit: pageSize, open: true })
    const cancels = open.flatMap(({ row }) =>
      row.kind === "cancel" && row.job !== null ? [{ ...row, job: row.job }] : []
    )
    if (cancels.length === 0) return
    const found = yield* store.jobs({ by: "seq", seqs: cancels.map(({ job }) => job), bodies: false })
    const rows = new Map(found.map(({ job }) => [job.seq, job]))
    for (const { actor, intent, job: seq, reason: said } of cancels) {
      const job = rows.get(seq)
      if (job === undefined) continue
      const owner = job.agent?.owner ?? null
      // Another host's job is that host's to cancel; a lost host's comes to us by adoption.
      if (owner !== null && (owner.host !== self.host || owner.epoch !== self.epoch)) continue
      const reason = actor.startsWith("caller:") ? "caller" : "operator"
      // an intent must have a reason: the bare word stands where nothing was said
      const text = said === "operator" || said === "caller" ? null : said
      post({ _tag: "CancelWanted", job, reason, actor, intent, text })
    }
  })
  return { look }
})
