/**
 * The metrics of a host, each declared once: docs/observability.md is made from this table. Names and units are by OpenTelemetry custom;
 * every attribute has a bounded number of values.
 */

/** What a series is told apart by: the same words stand in spans and in logs. */
export const attributes = {
  workflow: "muster.workflow_type",
  state: "muster.state",
  code: "muster.error_code",
  reason: "muster.reason",
  burned: "muster.burned",
  direction: "muster.token_type",
  lane: "muster.lane",
  event: "muster.event",
  host: "muster.host"
} as const

export type Attribute = (typeof attributes)[keyof typeof attributes]

export interface MetricDeclaration {
  readonly name: string
  /** `counter`: since this process started. `gauge`: read when somebody collects. */
  readonly kind: "counter" | "gauge" | "histogram"
  /** A UCUM unit. */
  readonly unit: string
  readonly description: string
  readonly attributes: ReadonlyArray<Attribute>
  /** Of a histogram: the upper bounds of its buckets, in its unit. */
  readonly boundaries?: ReadonlyArray<number>
}

/** Holds a declaration to its form and keeps its name. */
const declare = <const Declared extends Readonly<Record<string, MetricDeclaration>>>(declared: Declared) =>
  declared

const { burned, code, direction, event, host, lane, reason, state, workflow } = attributes

/** From 10 microseconds to 10 seconds. */
const seconds = [1e-5, 1e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 10]

export const counters = declare({
  submitted: {
    name: "muster.jobs.submitted",
    kind: "counter",
    unit: "{job}",
    description: "New jobs that callers of this host have submitted; a duplicate is none",
    attributes: [workflow]
  },
  ended: {
    name: "muster.jobs.ended",
    kind: "counter",
    unit: "{job}",
    description: "Jobs that are over, by the state they ended in; COMPLETED: landed",
    attributes: [workflow, state]
  },
  attempts: {
    name: "muster.attempts",
    kind: "counter",
    unit: "{attempt}",
    description: "Incarnations that were started: first attempts, retries and recoveries",
    attributes: [workflow]
  },
  failures: {
    name: "muster.attempts.failed",
    kind: "counter",
    unit: "{attempt}",
    description: "Attempts that failed, whether or not the job is tried again, by their code",
    attributes: [code]
  },
  retries: {
    name: "muster.retries",
    kind: "counter",
    unit: "{retry}",
    description: "Retries that were scheduled: why, and whether they burned an attempt",
    attributes: [workflow, burned, reason]
  },
  letters: {
    name: "muster.dead_letters",
    kind: "counter",
    unit: "{letter}",
    description: "Jobs that were quarantined, by the code that ended them",
    attributes: [code]
  },
  moves: {
    name: "muster.loop.moves",
    kind: "counter",
    unit: "{move}",
    description: "Moves of the orchestrator's loop, by their event: they are kept nowhere else",
    attributes: [event]
  },
  undeliverable: {
    name: "muster.messages.undeliverable",
    kind: "counter",
    unit: "{message}",
    description: "Messages that nobody has taken",
    attributes: []
  },
  tokens: {
    name: "muster.agents.tokens",
    kind: "counter",
    unit: "{token}",
    description: "Tokens as agents report them; muster.token_type is input or output",
    attributes: [direction]
  },
  cost: {
    name: "muster.agents.cost",
    kind: "counter",
    unit: "USD",
    description: "Cost as agents report it, in US dollars",
    attributes: []
  }
})

export const histograms = declare({
  turn: {
    name: "muster.turn.duration",
    kind: "histogram",
    unit: "s",
    description: "From the start of a turn that had something to write to the start of its commands",
    attributes: [],
    boundaries: seconds
  },
  commit: {
    name: "muster.commit.duration",
    kind: "histogram",
    unit: "s",
    description: "How long the store took for the commit of a turn",
    attributes: [],
    boundaries: seconds
  },
  signals: {
    name: "muster.turn.signals",
    kind: "histogram",
    unit: "{signal}",
    description: "Signals and submissions that were decided in one turn that had something to write",
    attributes: [],
    boundaries: [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000]
  },
  lag: {
    name: "muster.loop.lag",
    kind: "histogram",
    unit: "s",
    description: "How late a timer of the host fires: what keeps its event loop busy keeps its turns waiting",
    attributes: [],
    boundaries: [1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]
  }
})

export const gauges = declare({
  agents: {
    name: "muster.agents",
    kind: "gauge",
    unit: "{agent}",
    description: "Agents that this host owns, by their state",
    attributes: [host, state]
  },
  slots: {
    name: "muster.slots",
    kind: "gauge",
    unit: "{slot}",
    description: "Slots that this host has",
    attributes: [host]
  },
  used: {
    name: "muster.slots.used",
    kind: "gauge",
    unit: "{slot}",
    description: "Slots that hold a living incarnation",
    attributes: [host]
  },
  hung: {
    name: "muster.agents.hung",
    kind: "gauge",
    unit: "{agent}",
    description: "Incarnations that were given up and are alive still",
    attributes: [host]
  },
  mailbox: {
    name: "muster.mailbox.depth",
    kind: "gauge",
    unit: "{signal}",
    description: "What waits for the next turn, by the lane of the mailbox",
    attributes: [host, lane]
  },
  breakers: {
    name: "muster.breakers.open",
    kind: "gauge",
    unit: "{breaker}",
    description: "Workflows whose jobs wait because too many attempts fail",
    attributes: [host]
  },
  trouble: {
    name: "muster.store.trouble",
    kind: "gauge",
    unit: "s",
    description: "For how long the store has not answered; 0: it answers",
    attributes: [host]
  },
  queue: {
    name: "muster.queue.depth",
    kind: "gauge",
    unit: "{job}",
    description:
      "Jobs of the store that are not over, by their state. The same from every host: take the maximum",
    attributes: [host, workflow, state]
  },
  oldest: {
    name: "muster.queue.oldest",
    kind: "gauge",
    unit: "s",
    description: "For how long the runnable job that has waited longest has waited; 0: none waits",
    attributes: [host]
  },
  open: {
    name: "muster.dead_letters.open",
    kind: "gauge",
    unit: "{letter}",
    description: "Letters of the store that nobody has discarded or replayed",
    attributes: [host]
  }
})

/** All of them, in the order of the documentation. */
export const metrics: ReadonlyArray<MetricDeclaration> = [
  ...Object.values(counters),
  ...Object.values(histograms),
  ...Object.values(gauges)
]
