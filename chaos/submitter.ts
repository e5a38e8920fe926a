/**
 * A process that hands in one job again and again, over its own connection: store, workflow, payload, key and how often. It prints one line
 * an answer: the job's number and whether it was there already.
 */
import { Store } from "@muster/core"
import { Submissions } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Schedule } from "effect"
import { Digest } from "effect/crypto"

const [file = "", workflowType = "", payload = "null", idempotencyKey = "", times = "1"] =
  process.argv.slice(2)

const submit = Effect.gen(function* () {
  const store = yield* Store
  const now = Date.now()
  const job = yield* Submissions.toNewJob(
    { workflowType, payload: JSON.parse(payload), idempotencyKey },
    { actor: "operator:submitter", now, maxRetries: () => 4 }
  )
  const { inserted } = yield* store
    .commit({ fence: null, at: now, inserts: [job] })
    .pipe(
      Effect.retry({ while: ({ _tag }) => _tag === "ORCH_STORE_BUSY", schedule: Schedule.spaced("5 millis") })
    )
  for (const { _tag, jobId } of inserted) console.log(`${jobId} ${_tag}`)
})

await Effect.runPromise(
  Effect.replicateEffect(submit, Number(times), { concurrency: "unbounded" }).pipe(
    Effect.provide([SqliteStore.layer({ filename: file, synchronous: "NORMAL" }), Digest.layerWebCrypto])
  )
)
