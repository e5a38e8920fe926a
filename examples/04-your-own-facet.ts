// A facet of one's own: it holds the fleet against "dead letters are dealt with", and speaks when one lies there. The clock is a test's, since
// facets are first asked a minute after the start. Run it: node --conditions=@muster/source examples/04-your-own-facet.ts
import { join } from "node:path"
import { type BuiltFacet, Plugin, Workflow } from "@muster/core"
import { Fleet, MemoryStore } from "@muster/fleet"
import { Console, Data, Effect, Layer, Logger, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"

const unread: BuiltFacet = {
  key: "unread-letters",
  holds: "Dead letters are dealt with.",
  genre: "freshness",
  tempo: "brisk",
  status: "built",
  policy: { path: "docs/operations.md", anchor: "dead-letters" },
  followUps: ["suggest"],
  reflect: ({ letters }) =>
    Effect.succeed(
      letters === 0
        ? null
        : {
            about: "letters",
            sentence: `${letters} dead letter${letters === 1 ? " waits" : "s wait"} for somebody`,
            followUp: "suggest",
            evidence: { letters },
            suggestion: "muster dlq list"
          }
    )
}

class NotProse extends Data.TaggedError("DQ_NOT_PROSE") {}
const summary = Workflow.make("summary", {
  payload: Schema.String,
  result: Schema.String,
  run: () => Effect.fail(new NotProse())
})

const isFiring = ({ event }: { readonly event: string }) => event === "facet_fired"
const program = Effect.gen(function* () {
  const fleet = yield* Fleet
  yield* Effect.exit((yield* fleet.submit(summary, "12 34")).result)
  yield* TestClock.adjust("1 minute")
  const [event] = yield* fleet
    .events({ after: 0 })
    .pipe(Stream.filter(isFiring), Stream.take(1), Stream.runCollect)
  yield* Console.log(event?.event, event?.transitionReason, event?.actor)
  for (const { asked, declaration, said } of yield* fleet.facets)
    if (asked > 0) yield* Console.log(declaration.key, "->", said ?? "silent")
})

const mirror = Plugin.make({ name: "mirror", version: "1.0.0", make: Effect.succeed({ facets: [unread] }) })
const documents = join(import.meta.dirname, "..")
const options = { workflows: [summary], plugins: [mirror], declares: [unread], reflects: false, documents }
// What it says would be logged as well; here it is printed.
const outside = Layer.mergeAll(TestClock.layer(), Logger.layer([]))
const fleet = Fleet.layer(options).pipe(Layer.provide(MemoryStore.layer()), Layer.provideMerge(outside))
await Effect.runPromise(Effect.provide(program, fleet))
