/**
 * What is read when somebody collects, and costs nothing while nobody does. A collection can't wait for the store: it shows what was last
 * banked, and has the store asked for the next one.
 */
import {
  AgentMachine,
  type AgentState,
  type HostRow,
  isOver,
  JobMachine,
  Store,
  type TallyRows,
  usedSlots
} from "@muster/core"
import { Clock, Effect, Latch, Metric } from "effect"
import { instant } from "../Instant.ts"
import * as Breakers from "../loop/Breakers.ts"
import type { Mailbox } from "../loop/Mailbox.ts"
import type { Trouble } from "../loop/Trouble.ts"
import type { Turn } from "../loop/Turn.ts"
import { Cardinality } from "./Cardinality.ts"
import { attributes, gauges, type MetricDeclaration } from "./MetricNames.ts"
import { gauge, type Labels } from "./Series.ts"

export interface GaugesOptions {
  readonly host: HostRow
  readonly turn: Turn
  readonly mailbox: Mailbox
  readonly trouble: Trouble
  /** Those that the host serves. */
  readonly workflows: Iterable<string>
}

/** Between two questions to the store, however often somebody collects. */
const pause = "5 seconds"

const waitingStates: ReadonlySet<string> = new Set(JobMachine.states.filter((state) => !isOver(state)))

const nothing = () => undefined

/** Registers them for the life of this scope. */
export const register = Effect.fnUntraced(function* (options: GaugesOptions) {
  const { host, mailbox, trouble, turn } = options
  const store = yield* Store
  const clock = yield* Clock.Clock
  const context = yield* Effect.context()
  const workflows = new Cardinality(options.workflows)
  const registrations: Array<Metric.Registration> = []
  const shared = { [attributes.host]: String(host.host) }

  const show = (declaration: MetricDeclaration, read: () => number, labels: Labels = {}): void => {
    const hooks = { get: () => ({ value: read() }), update: nothing, modify: nothing }
    registrations.push(Metric.registerUnsafe(gauge(declaration, { ...shared, ...labels }), context, hooks))
  }

  const inState = (wanted: AgentState): number => {
    let count = 0
    for (const { agent } of turn.state.owned.values()) if (agent?.state === wanted) count++
    return count
  }
  for (const state of AgentMachine.states) {
    // A tombstoned agent is nobody's.
    if (state !== "tombstoned") show(gauges.agents, () => inState(state), { [attributes.state]: state })
  }
  show(gauges.slots, turn.slots)
  show(gauges.used, () => usedSlots(turn.state.owned))
  show(gauges.hung, () => turn.state.hung)
  for (const lane of ["control", "reports", "submissions"] as const)
    show(gauges.mailbox, () => mailbox.depth(lane), { [attributes.lane]: lane })
  show(gauges.breakers, () => Breakers.openOf(turn.state.breakers).length)
  show(gauges.trouble, () => {
    const met = trouble.now()
    return met === null ? 0 : Math.max(0, instant(clock) - met.since) / 1_000
  })

  /** By workflow and state; those that no job is in any more stay, with 0. */
  const depths = new Map<string, { count: number }>()
  let latest: TallyRows | null = null
  const collected = yield* Latch.make()

  const depthOf = (workflow: string, state: string): { count: number } => {
    const key = `${state} ${workflow}`
    const found = depths.get(key)
    if (found !== undefined) return found
    const depth = { count: 0 }
    depths.set(key, depth)
    show(gauges.queue, () => depth.count, {
      [attributes.workflow]: workflow,
      [attributes.state]: state
    })
    return depth
  }

  /** Takes what the store has counted: whoever asks it for other reasons gives it here too. */
  const tallied = (tally: TallyRows): void => {
    const isFirst = latest === null
    latest = tally
    for (const depth of depths.values()) depth.count = 0
    for (const { count, state, workflow_type } of tally.jobs) {
      if (waitingStates.has(state)) depthOf(workflows.of(workflow_type), state).count += count
    }
    if (!isFirst) return
    show(gauges.oldest, () => {
      // Whoever reads it collects.
      collected.openUnsafe()
      const since = latest?.oldest_ready ?? null
      return since === null ? 0 : Math.max(0, instant(clock) - since) / 1_000
    })
    show(gauges.open, () => latest?.letters ?? 0)
  }

  const ask = Effect.gen(function* () {
    for (;;) {
      yield* collected.await
      collected.closeUnsafe()
      // A store that doesn't answer is told of elsewhere.
      yield* Effect.ignore(Effect.map(store.tally(instant(clock)), tallied))
      yield* Effect.sleep(pause)
    }
  })
  yield* Effect.forkScoped(ask)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const registration of registrations) registration.remove()
    })
  )
  return { tallied }
})

export type Gauges = Effect.Success<ReturnType<typeof register>>
