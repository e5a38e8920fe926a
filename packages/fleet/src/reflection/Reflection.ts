/**
 * The substrate that runs the facets: classify, snapshot, check policy, build, route; always these, in this order, whatever the facet
 * (seed "Agent-orchestration model"). Beside the loop, in a fiber of its own; whatever a facet does costs its own reflection only.
 */
import {
  type BuiltFacet,
  type Facet,
  type FacetDeclaration,
  type FleetGlance,
  Outcome,
  PluginFailed,
  reflectionLimits,
  Rotation,
  type Signal,
  Store
} from "@muster/core"
import { Cause, Clock, Effect, Fiber, Option } from "effect"
import { monotonic } from "../Instant.ts"
import { patiently } from "../loop/Host.ts"
import { ask } from "../plugins/Fence.ts"
import type { Registered } from "../plugins/PluginHost.ts"
import { readFiring, type SoundFiring } from "./FiringAnswer.ts"
import * as Glance from "./Glance.ts"

/** How a facet stands since this host has started. */
export interface FacetGlimpse {
  readonly declaration: FacetDeclaration
  /** The plugin that contributes it. */
  readonly by: string
  /** How often it was asked, has fired, and has failed. */
  readonly asked: number
  readonly fired: number
  readonly failed: number
  /** Epoch ms; null: never. */
  readonly askedAt: number | null
  /** Epoch ms of the last firing that was handed to the loop; null: none was. */
  readonly firedAt: number | null
  /** The sentence of that firing. */
  readonly said: string | null
  /** Its last answer doesn't end, although it was interrupted: it is not asked meanwhile. */
  readonly hung: boolean
}

export interface ReflectionOptions {
  readonly facets: ReadonlyArray<Registered<Facet>>
  readonly look: Omit<Glance.GlanceOptions, "facets">
  /** Hands a signal to the loop, which writes it under its fence. */
  readonly post: (signal: Signal) => void
  /** Has the loop look anew at everything that the store keeps. */
  readonly lookAgain: Effect.Effect<void>
}

/** The newest records of hosts that are looked through for what was said before. */
const recordsBefore = 200

type Counted = "asked" | "fired" | "failed"

const isBuilt = (facet: Facet): facet is BuiltFacet => facet.status === "built"

/** What is declared, without what does it. */
const declared = ({ followUps, genre, holds, key, policy, status, tempo }: Facet): FacetDeclaration => ({
  key,
  holds,
  genre,
  tempo,
  status,
  policy,
  followUps
})

export const make = Effect.fnUntraced(function* ({ facets, look, lookAgain, post }: ReflectionOptions) {
  const store = yield* Store
  const clock = yield* Clock.Clock
  const all = facets.map(({ item }) => item)
  const glance = yield* Glance.make({ ...look, facets: all })
  const glimpses = new Map<string, FacetGlimpse>(
    facets.map(({ by, item }) => [
      item.key,
      {
        declaration: declared(item),
        by,
        asked: 0,
        fired: 0,
        failed: 0,
        askedAt: null,
        firedAt: null,
        said: null,
        hung: false
      }
    ])
  )
  const away = new Set<string>()
  /** When each was silent last, and what it has said last. */
  const quietAt = new Map<string, number>()
  const own = new Map<string, Outcome.Said>()
  let rotation = Rotation.begin(monotonic(clock))

  const note = (key: string, patch: Partial<FacetGlimpse>, count?: Counted): void => {
    const before = glimpses.get(key)
    if (before === undefined) return
    glimpses.set(key, { ...before, ...patch, ...(count === undefined ? {} : { [count]: before[count] + 1 }) })
  }

  const giveUp = (key: string, fiber: Fiber.Fiber<unknown, unknown>): void => {
    away.add(key)
    note(key, { hung: true })
    fiber.addObserver(() => {
      away.delete(key)
      note(key, { hung: false })
    })
  }

  /** Its answer within the time that it has. Its fiber is its own: one that can't be interrupted holds up nobody. */
  const build = Effect.fnUntraced(function* (facet: BuiltFacet, view: FleetGlance) {
    note(facet.key, { askedAt: view.now }, "asked")
    const fiber = yield* Effect.forkDetach(
      ask(
        facet.key,
        "Facet.reflect",
        () => facet.reflect(view),
        (answer) => readFiring(facet, answer)
      ),
      { startImmediately: true }
    )
    const exit = yield* Fiber.await(fiber).pipe(
      Effect.timeoutOption(reflectionLimits.answerMillis),
      Effect.onInterrupt(() => Effect.sync(() => fiber.interruptUnsafe()))
    )
    if (Option.isSome(exit)) return yield* exit.value
    fiber.interruptUnsafe()
    yield* Effect.yieldNow
    if (fiber.pollUnsafe() === undefined) giveUp(facet.key, fiber)
    return yield* new PluginFailed({
      plugin: facet.key,
      operation: "Facet.reflect",
      detail: `it has not answered within ${reflectionLimits.answerMillis} ms`
    })
  })

  /** Whether this host or another has said it before; what is on its way to the store counts. */
  const isRepeated = Effect.fnUntraced(function* (
    facet: BuiltFacet,
    reflected: Outcome.Reflected,
    now: number
  ) {
    const quiet = quietAt.get(facet.key) ?? null
    const mine = own.get(facet.key)
    if (mine !== undefined && Outcome.isRepeated(reflected, facet, [mine], quiet, now)) return true
    const records = yield* patiently(
      store.events({ job: null, hosts: true, after: 0, limit: recordsBefore, order: "descending" })
    )
    return Outcome.isRepeated(reflected, facet, Outcome.saidIn(records), quiet, now)
  })

  const route = Effect.fnUntraced(function* (facet: BuiltFacet, reflected: Outcome.Reflected, now: number) {
    if (yield* isRepeated(facet, reflected, now)) return
    own.set(facet.key, { facet: facet.key, about: reflected.about, at: now })
    note(facet.key, { firedAt: now, said: reflected.sentence }, "fired")
    post({ _tag: "Reflected", reflected })
    if (reflected.followUp !== "note") yield* Effect.logWarning(`${facet.key}: ${reflected.sentence}`)
    if (reflected.followUp === "look_again") yield* lookAgain
  })

  const reflect = Effect.fnUntraced(function* (facet: BuiltFacet) {
    const view = yield* glance.look
    const policy = view.pointers.find(({ by }) => by === `facet ${facet.key}`)
    if (policy?.resolution !== "resolved") {
      const why = policy?.resolution ?? "no_document"
      return yield* route(facet, Outcome.unfounded(facet, why), view.now)
    }
    const firing: SoundFiring | null = yield* build(facet, view)
    if (firing !== null) return yield* route(facet, Outcome.fired(facet, firing), view.now)
    quietAt.set(facet.key, view.now)
  })

  /** A reflection that fails is over. Of a store in trouble the loop tells. */
  const attempt = (facet: BuiltFacet) =>
    reflect(facet).pipe(
      Effect.catchTag("ORCH_STORE_BROKEN", () => Effect.void),
      Effect.catchCause((cause) => {
        note(facet.key, {}, "failed")
        return Effect.logError(`facet ${facet.key} failed`, Cause.squash(cause))
      })
    )

  const run = Effect.gen(function* () {
    for (;;) {
      const at = monotonic(clock)
      const facet = Rotation.turnOf(rotation, all.filter(isBuilt), at, away)
      if (facet === null) {
        // Somebody who hangs may come back.
        const next = Rotation.nextAt(rotation, all)
        if (next === null) return
        yield* Effect.sleep(Math.max(1_000, next - at))
        continue
      }
      rotation = Rotation.taken(rotation, facet, at)
      yield* attempt(facet)
    }
  })

  return {
    /** Reflects for as long as it is let. */
    run,
    /** Every facet of the registry, in its order. */
    glimpses: Effect.sync((): ReadonlyArray<FacetGlimpse> => [...glimpses.values()])
  }
})
