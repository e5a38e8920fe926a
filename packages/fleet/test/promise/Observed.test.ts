// A host without Effect exports by one option.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { openFleet } from "../../src/promise/openFleet.ts"
import { workflow } from "../../src/promise/PromiseWorkflow.ts"
import * as Collector from "../observability/Collector.ts"

it.live("an open fleet tells the collector that it is given of its jobs, before it is closed", () =>
  Effect.gen(function* () {
    const collector = yield* Collector.make()
    yield* Effect.promise(async () => {
      const double = workflow("double", { run: async (n: number) => n * 2 })
      await using fleet = await openFleet({
        store: MemoryStore.layer(),
        workflows: [double],
        observability: { otlp: collector.url }
      })
      const job = await fleet.submit(double, 21)
      assert.strictEqual(await job.result(), 42)
      // In the trace of its submission.
      const { job: stored } = await fleet.await(job.jobId)
      assert.match(stored.traceContext ?? "", /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    })
    assert.includeMembers([...collector.paths()], ["/v1/metrics", "/v1/traces"])
    assert.include(collector.bodies("/v1/traces").join(), "Agent.work")
    assert.include(collector.bodies("/v1/metrics").join(), "muster.jobs.ended")
  })
)
