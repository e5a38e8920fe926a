/**
 * The world outside the fleet, which outlives its hosts: the processes of agents, their workspaces, and the target that results land in. It
 * sees what the fleet does to it, and blames it for what must never be seen there.
 */
import type { Assignment } from "@muster/core"
import type { Ledger } from "./Ledger.ts"
import type { WorkflowPlan } from "./Plan.ts"
import type { Trace } from "./Trace.ts"
import type { Verdict } from "./Verdict.ts"

/** One incarnation at work, as the operating system would see it. */
export interface LifeSeen {
  readonly seq: number
  readonly incarnation: number
  /** The host's token (R20). */
  readonly token: string
  readonly place: string | null
  /** False once it is released or killed. */
  alive: boolean
}

export interface Place {
  readonly ref: string
  readonly seq: number
  /** The process that made it. */
  readonly maker: string
  archived: boolean
}

export interface OutsideOptions {
  readonly ledger: Ledger
  readonly verdict: Verdict
  readonly trace: Trace
  /** The slots that the host of a token may use now, at most. */
  readonly slotsOf: (token: string) => number
  /** What follows on an unknown outcome of a step of the job. */
  readonly unknownOf: (seq: number) => WorkflowPlan["unknown"]
}

/** The epoch in a host's token. */
export const epochOf = (token: string): number => Number(token.slice(token.lastIndexOf(":") + 1))

export const seqOfJob = (jobId: string): number => Number(jobId.slice(jobId.lastIndexOf("-") + 1))

export class Outside {
  readonly lives: Array<LifeSeen> = []
  readonly places = new Map<string, Place>()
  /** By job: what has landed. */
  readonly landed = new Map<number, string>()
  /** Results that agents have brought and gates have passed: `seq result`. */
  readonly brought = new Set<string>()
  readonly passed = new Set<string>()
  /** How often each step has been written: `seq name`. */
  readonly written = new Map<string, number>()
  /** Calls of plugins that are open, by the process that they run in. */
  readonly held = new Map<string, number>()
  /** The newest fencing token that the target has seen of each job. */
  private readonly tokens = new Map<number, number>()
  private readonly counts = new Map<string, number>()
  private readonly options: OutsideOptions

  constructor(options: OutsideOptions) {
    this.options = options
  }

  /** How often this was asked, this time included. */
  count(what: string): number {
    const count = (this.counts.get(what) ?? 0) + 1
    this.counts.set(what, count)
    return count
  }

  private isHung({ incarnation, seq }: LifeSeen): boolean {
    return this.options.ledger.entries.get(seq)?.hung.has(incarnation) === true
  }

  /** An incarnation starts to work. */
  begin({ incarnation, jobId, token, workspace }: Assignment): LifeSeen {
    const { ledger, trace, verdict } = this.options
    const seq = seqOfJob(jobId)
    const life: LifeSeen = { seq, incarnation, token, place: workspace?.ref ?? null, alive: true }
    trace.tell("agent", () => `job ${seq} life ${incarnation} starts to work`)
    for (const other of this.lives) {
      if (!other.alive) continue
      if (other.place !== null && other.place === life.place)
        verdict.blame(
          "two lives",
          `job ${seq} life ${incarnation} works in ${life.place}, where job ${other.seq} works`
        )
      if (other.seq === seq && !this.isHung(other))
        verdict.blame(
          "two lives",
          `job ${seq} life ${incarnation} starts while life ${other.incarnation} is alive`
        )
    }
    if (this.landed.has(seq)) verdict.blame("done twice", `job ${seq} has landed, and is worked on again`)
    const { state } = ledger.entries.get(seq)?.row ?? { state: "nowhere" }
    if (state === "COMPLETED") verdict.blame("done twice", `job ${seq} is ${state}, and is worked on again`)
    this.lives.push(life)
    const mine = this.lives.filter(
      (other) => other.alive && other.token === token && !this.isHung(other)
    ).length
    const slots = this.options.slotsOf(token)
    if (mine > slots)
      verdict.blame("slots exceeded", `${mine} lives at once under ${token}, which has ${slots} slots`)
    return life
  }

  hold(maker: string): void {
    this.held.set(maker, (this.held.get(maker) ?? 0) + 1)
  }

  letGo(maker: string): void {
    this.held.set(maker, (this.held.get(maker) ?? 0) - 1)
  }

  /** A step is about to be done: its start must be durable, by an incarnation that owns its job, and nobody may know that it was done. */
  beginStep({ alive, incarnation, seq, token }: LifeSeen, name: string): void {
    const { ledger, verdict } = this.options
    if (!alive) return
    const entry = ledger.entries.get(seq)
    const marker = entry?.markers.get(name)
    const whose = `step ${name} of job ${seq} life ${incarnation}`
    if (marker?.state === "finished") verdict.blame("done twice", `${whose} is done, and begins again`)
    else if (marker?.state !== "started" || marker.incarnation !== incarnation)
      verdict.blame(
        "written unasked",
        `${whose} begins, and the store says ${JSON.stringify(marker ?? null)}`
      )
    if (!ledger.living.has(epochOf(token)))
      verdict.blame("written unasked", `${whose} begins under ${token}, which is over`)
  }

  /** The effect of a step. */
  write({ alive, incarnation, seq }: LifeSeen, name: string): void {
    if (!alive) return
    const key = `${seq} ${name}`
    const times = (this.written.get(key) ?? 0) + 1
    this.written.set(key, times)
    this.options.trace.tell("outside", () => `job ${seq} life ${incarnation} writes step ${name}`)
    if (times > 1 && !name.includes("@") && this.options.unknownOf(seq) !== "rerun")
      this.options.verdict.blame("done twice", `step ${name} of job ${seq} is written ${times} times`)
  }

  /** A landing is about to begin: by a host that owns it (R20). */
  beginLanding(seq: number, incarnation: number, epoch: number): void {
    if (!this.options.ledger.living.has(epoch))
      this.options.verdict.blame(
        "written unasked",
        `job ${seq} life ${incarnation} lands under epoch ${epoch}, which is over`
      )
  }

  end(life: LifeSeen): void {
    if (life.alive)
      this.options.trace.tell(
        "agent",
        () => `job ${life.seq} life ${life.incarnation} has left nothing behind`
      )
    life.alive = false
  }

  /** Kills everything that carries one of the tokens. */
  reap(tokens: ReadonlyArray<string>): void {
    for (const life of this.lives) {
      if (!life.alive || !tokens.includes(life.token)) continue
      life.alive = false
      this.options.trace.tell("outside", () => `job ${life.seq} life ${life.incarnation} is killed`)
    }
  }

  /** One of the tokens that something alive carries. */
  living(tokens: ReadonlyArray<string>): string | undefined {
    return this.lives.find(({ alive, token }) => alive && tokens.includes(token))?.token
  }

  /** A job has got its result: it must be one that was brought, verified and landed. */
  completed(seq: number, workflow: WorkflowPlan | undefined): void {
    const result = this.options.ledger.entries.get(seq)?.result ?? ""
    const blame = (what: string) =>
      this.options.verdict.blame("unverified result", `job ${seq} completes with ${result}, ${what}`)
    if (!this.brought.has(`${seq} ${result}`)) blame("which no agent has brought")
    if (workflow?.gate === true && !this.passed.has(`${seq} ${result}`)) blame("which has passed no gate")
    if (workflow?.lander === true && this.landed.get(seq) !== result) blame("which has not landed")
  }

  /** Lives that were declared hung and have not ended, under an epoch. */
  hungUnder(epoch: number): number {
    return this.lives.filter((life) => life.alive && epochOf(life.token) === epoch && this.isHung(life))
      .length
  }

  /** Makes a place, or finds the one before. */
  prepare(seq: number, incarnation: number, previous: string | null, maker: string): string {
    const former = previous === null ? undefined : this.places.get(previous)
    if (former !== undefined) {
      if (former.archived)
        this.options.verdict.blame("done twice", `job ${seq} goes on in ${former.ref}, which was archived`)
      return former.ref
    }
    const ref = `place-${seq}-${incarnation}`
    if (!this.places.has(ref)) this.places.set(ref, { ref, seq, maker, archived: false })
    return ref
  }

  archive(ref: string): void {
    const place = this.places.get(ref)
    if (place !== undefined) place.archived = true
  }

  remove(ref: string): void {
    const place = this.places.get(ref)
    if (place === undefined) return
    if (!place.archived) this.options.verdict.blame("left open", `${ref} is removed unarchived`)
    this.places.delete(ref)
  }

  /** Whether the target takes an order: one with an older token than it has seen is refused there. */
  admits(seq: number, token: number): boolean {
    if (token < (this.tokens.get(seq) ?? 0)) return false
    this.tokens.set(seq, token)
    return true
  }

  /** The effect of a landing; the same order again changes nothing. */
  land(seq: number, result: string): void {
    const former = this.landed.get(seq)
    if (former !== undefined && former !== result)
      this.options.verdict.blame("done twice", `job ${seq} has landed ${former}, and lands ${result}`)
    this.landed.set(seq, result)
    this.options.trace.tell("outside", () => `job ${seq} lands ${result}`)
  }
}
