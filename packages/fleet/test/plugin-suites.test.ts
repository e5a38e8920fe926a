// The suites of plugins, observers and facets, on small honest ones.
import { assert, it } from "@effect/vitest"
import { type Facet, type FleetGlance, type LifecycleEvent, Plugin, PluginFailed } from "@muster/core"
import { emptyGlance, facetSuite, observerSuite, pluginSuite } from "@muster/core/testing"
import { Effect } from "effect"
import { keepLander } from "../src/adapters/KeepLander.ts"

const counting = Effect.sync(() => {
  const shown = new Set<string>()
  return {
    observer: {
      name: "shelf",
      observe: (events: ReadonlyArray<LifecycleEvent>) =>
        Effect.sync(() => {
          for (const { eventId } of events) shown.add(eventId)
        })
    },
    hasShown: ({ eventId }: LifecycleEvent) => Effect.sync(() => shown.has(eventId))
  }
})

observerSuite("an observer that keeps ids", counting)

const busy: FleetGlance = { ...emptyGlance, usedSlots: 4, freeSlots: 0 }
const crowded: Facet = {
  key: "crowded",
  holds: "A slot is free.",
  genre: "capacity",
  tempo: "brisk",
  status: "built",
  policy: { path: "docs/capacity.md", anchor: "slots" },
  followUps: ["suggest"],
  reflect: ({ slots, usedSlots }) =>
    Effect.succeed(
      usedSlots < slots
        ? null
        : {
            about: "slots",
            sentence: `all ${slots} slots are used`,
            followUp: "suggest",
            evidence: { slots },
            suggestion: `muster scale ${slots * 2}`
          }
    )
}

facetSuite(
  "a facet that counts slots",
  Effect.succeed({ facet: crowded, healthy: emptyGlance, unhealthy: busy })
)

const lamp = Effect.sync(() => {
  let on = false
  const light = Effect.acquireRelease(
    Effect.sync(() => (on = true)),
    () => Effect.sync(() => (on = false))
  )
  const refusal = new PluginFailed({ plugin: "lamp", operation: "Plugin.make", detail: "no bulb" })
  const made = Plugin.make({
    name: "lamp",
    version: "1.0.0-beta.1",
    make: Effect.as(light, {
      landers: [keepLander],
      facets: [crowded],
      codes: [{ code: "EXT_LAMP", maxAttempts: 2 }]
    })
  })
  return {
    plugin: made,
    holds: Effect.sync(() => on),
    broken: Plugin.make({ ...made, make: Effect.andThen(light, Effect.fail(refusal)) })
  }
})

pluginSuite("a plugin that lights a lamp", lamp)

it.effect("a plugin's scope is closed where its making fails", () =>
  Effect.gen(function* () {
    const { broken, holds } = yield* lamp
    yield* Effect.flip(Effect.scoped(broken.make))
    assert.isFalse(yield* holds)
  })
)
