/**
 * What operators want of the fleet, as rows of intent say it: pause, resume, drain, scale. Level, not edge (R11): who is open, and in the
 * order of their numbers, decides; never in which order hints about them arrive. Cancels are about one job: see turn/cancel.ts.
 */
import { Option, Schema } from "effect"

/** The kinds that are about hosts, in the words of the store. */
export const hostIntents = ["pause", "resume", "drain", "scale"] as const
export type HostIntent = (typeof hostIntents)[number]

/** A row of intent that nobody has settled, as far as a decision looks at it. */
export interface OpenIntent {
  /** Its number, ascending in order of arrival. */
  readonly intent: number
  readonly kind: string
  /** The host it addresses; null for all. Pauses and resumes are the store's and address all (R22). */
  readonly host: number | null
  /** JSON text; of a scale what `scaleValue` writes. */
  readonly value: string | null
}

/** What the open intents make of one host. */
export interface Control {
  /** No claims: work that runs goes on, and so do adoption, landing and cleaning (R22). */
  readonly paused: boolean
  /** No claims until nothing runs. */
  readonly draining: boolean
  /** The slots that an operator wants it to have; null: those that it was started with. */
  readonly slots: number | null
}

/** A host of which nobody wants anything. */
export const uncontrolled: Control = { paused: false, draining: false, slots: null }

/** Whether the host may take a job. */
export const mayClaim = ({ draining, paused }: Control): boolean => !paused && !draining

/** The argument of a scale; null: back to what each host was started with. */
export const scaleValue = (slots: number | null): string => JSON.stringify({ slots })

const decodeScale = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ slots: Schema.Int.check(Schema.isGreaterThan(0)) }))
)

/** What `scaleValue` has written. A value that says no number of slots says what a reset says. */
export const slotsIn = (value: string | null): number | null =>
  Option.getOrNull(Option.map(decodeScale(value), ({ slots }) => slots))

const inOrder = <Intent extends OpenIntent>(
  open: ReadonlyArray<Intent>,
  kind: HostIntent
): ReadonlyArray<Intent> => open.filter((one) => one.kind === kind).toSorted((a, b) => a.intent - b.intent)

/** The pauses in force, the oldest first: a resume ends those that came before it, whether or not it is settled yet. */
export const pausesOf = <Intent extends OpenIntent>(open: ReadonlyArray<Intent>): ReadonlyArray<Intent> => {
  const resumed = inOrder(open, "resume").at(-1)?.intent ?? 0
  return inOrder(open, "pause").filter(({ intent }) => intent > resumed)
}

/** The drains in force, the oldest first. */
export const drainsOf = <Intent extends OpenIntent>(open: ReadonlyArray<Intent>): ReadonlyArray<Intent> =>
  inOrder(open, "drain")

const addresses = ({ host }: OpenIntent, number: number): boolean => host === null || host === number

/** What the open intents make of host number `host`. */
export const controlOf = (open: ReadonlyArray<OpenIntent>, host: number): Control => ({
  paused: pausesOf(open).length > 0,
  draining: drainsOf(open).some((drain) => addresses(drain, host)),
  slots: slotsIn(inOrder(open, "scale").findLast((scale) => addresses(scale, host))?.value ?? null)
})

/** The hosts, as whoever settles intents sees them. */
export interface HostsSeen {
  /** Those whose epoch is not over. */
  readonly live: ReadonlySet<number>
  /** Those of them that own work, or of which nobody knows. */
  readonly busy: ReadonlySet<number>
}

/** An intent that has come to its end, and what came of it. */
export interface IntentEnd {
  readonly intent: number
  readonly outcome: string
}

const drained = ({ host }: OpenIntent, { busy, live }: HostsSeen): string | null => {
  if (host === null) return busy.size === 0 ? "drained" : null
  // A number is used once: a host that is gone doesn't come back, and runs nothing.
  if (!live.has(host)) return "host_gone"
  return busy.has(host) ? null : "drained"
}

/** The outcomes of scales: a newer one that says at least as much ends an older one; the newest for a host stays open, since it is in force. */
const scaled = (open: ReadonlyArray<OpenIntent>, { live }: HostsSeen): ReadonlyArray<IntentEnd> => {
  const scales = inOrder(open, "scale")
  const ended: Array<IntentEnd> = []
  /** Whether an older one for all is in force. */
  let forAll = false
  for (const [index, { host, intent, value }] of scales.entries()) {
    const newer = scales.slice(index + 1)
    if (newer.some((other) => other.host === null || other.host === host))
      ended.push({ intent, outcome: "superseded" })
    else if (host !== null && !live.has(host)) ended.push({ intent, outcome: "host_gone" })
    // Back to the start, and nothing older that it would have to hold off: then it says what no intent says as well.
    else if (slotsIn(value) === null && (host === null || !forAll)) ended.push({ intent, outcome: "reset" })
    else if (host === null) forAll = true
  }
  return ended
}

/** What of the open intents has come to its end. The same rows and hosts give the same answer, whoever asks. */
export const settlements = (open: ReadonlyArray<OpenIntent>, hosts: HostsSeen): ReadonlyArray<IntentEnd> => {
  const ended: Array<IntentEnd> = []
  const pauses = inOrder(open, "pause")
  const inForce = new Set(pausesOf(open).map(({ intent }) => intent))
  for (const { intent } of pauses) if (!inForce.has(intent)) ended.push({ intent, outcome: "resumed" })
  let before = 0
  for (const { intent } of inOrder(open, "resume")) {
    const since = before
    const ends = pauses.some((pause) => pause.intent > since && pause.intent < intent)
    ended.push({ intent, outcome: ends ? "resumed" : "not_paused" })
    before = intent
  }
  for (const drain of drainsOf(open)) {
    const outcome = drained(drain, hosts)
    if (outcome !== null) ended.push({ intent: drain.intent, outcome })
  }
  return [...ended, ...scaled(open, hosts)]
}

/** How a host takes work, in one word (R13); the first that holds. */
export const modeOf = (
  { draining, paused }: Control,
  stopping = false
): "stopping" | "paused" | "draining" | "running" =>
  stopping ? "stopping" : paused ? "paused" : draining ? "draining" : "running"
