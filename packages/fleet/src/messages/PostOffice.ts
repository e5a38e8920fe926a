/**
 * The post office of one host: it keeps the mailboxes of the agents that live here, hands messages in, matches answers with questions,
 * and buries what nobody takes. All of it is memory of this process: a message costs no commit (R15), an undeliverable one a row.
 */
import {
  agentAddress,
  AskTimeout,
  type AskFailed,
  type Cause as MessageCause,
  type Delivery,
  type Envelope,
  isOver,
  type Job,
  jobOfAddress,
  type Mail,
  MailboxFull,
  type MessageDraft,
  type MessageRefused,
  MessageUndeliverable,
  PayloadTypeMismatch,
  readMessage,
  type Signal,
  type UndeliverableReason
} from "@muster/core"
import { Deferred, Effect, Exit, Result } from "effect"
import type { Incarnation } from "../agents/Incarnation.ts"
import type { ServedWorkflow } from "../plugins/ServedWorkflow.ts"
import { Box } from "./Box.ts"
import type { DeadMessages } from "./DeadMessages.ts"
import { Recent } from "./Recent.ts"
import { seal, type Writer } from "./Seal.ts"
import type { Stranger } from "./WhyNot.ts"

export interface PostOfficeOptions {
  /** The head of the ids that it gives: unique to this life of this host. */
  readonly name: string
  /** Epoch ms. */
  readonly now: () => number
  readonly served: ReadonlyMap<string, ServedWorkflow>
  /** What the store knows of a job that has no mailbox here. */
  readonly whyNot: (jobId: string) => Effect.Effect<Stranger>
  readonly dead: DeadMessages
}

/** A question that waits for its answer. */
interface Asked {
  readonly consumer: string
  readonly answer: Deferred.Deferred<Envelope, MessageUndeliverable>
}

/** Messages whose chain is remembered, and questions that are over. */
const remembered = 10_000

/** Mailboxes that are kept for agents who don't live here now, at most. */
const mostHeld = 1_000

/** A message as one of its two parties names it: ids that programs give themselves may be anybody's. */
const known = (party: string, messageId: string): string => `${party} ${messageId}`

export class PostOffice {
  /** By job id. */
  private readonly boxes = new Map<string, Box>()
  /** By asker and the question's message id. */
  private readonly asked = new Map<string, Asked>()
  private readonly over = new Recent<true>(remembered)
  private readonly causes = new Recent<MessageCause>(remembered)
  private readonly options: PostOfficeOptions
  private last = 0

  constructor(options: PostOfficeOptions) {
    this.options = options
  }

  /** The work of an incarnation with its mail: it reads what is there and what comes, until it ends. */
  during(life: Incarnation, work: (mail: Mail) => Effect.Effect<Signal>): Effect.Effect<Signal> {
    return Effect.suspend(() => {
      // Nothing comes for who doesn't listen.
      if (!life.served.listens) return work(this.mailOf(life))
      this.open(life)
      return Effect.onExit(work(this.mailOf(life)), (exit) =>
        Effect.sync(() => this.shut(life, Exit.isSuccess(exit) && exit.value._tag === "Worked"))
      )
    })
  }

  /** No incarnation of it lives here any more: it has ended, or another one will follow, here or elsewhere. */
  settle({ jobId, state }: Job): void {
    const box = this.boxes.get(jobId)
    if (box === undefined) return
    if (isOver(state)) return this.remove(jobId, "unread")
    box.left = true
    box.hearing = "held"
  }

  /** The agent has ended, or lives elsewhere now: what is unread is undeliverable. */
  remove(jobId: string, reason: UndeliverableReason): void {
    const box = this.boxes.get(jobId)
    if (box === undefined) return
    this.boxes.delete(jobId)
    for (const envelope of box.empty()) this.bury(envelope, reason)
  }

  /** The host stops. */
  close(): void {
    for (const jobId of this.boxes.keys()) this.remove(jobId, "host_stopped")
  }

  /** The agents that have left and whose mailbox is kept, by job number. */
  held(): ReadonlyMap<number, string> {
    const held = new Map<number, string>()
    for (const box of this.boxes.values()) if (box.left) held.set(box.seq, box.jobId)
    return held
  }

  private open(life: Incarnation): void {
    const { jobId } = life.job
    const box = this.boxes.get(jobId) ?? new Box(life.seq, jobId, life.served)
    this.boxes.set(jobId, box)
    box.incarnation = life.number
    box.hearing = "listening"
    box.left = false
  }

  /** Its work has ended: well, and it hears no more; or not, and its next incarnation will. */
  private shut(life: Incarnation, well: boolean): void {
    const box = this.boxes.get(life.job.jobId)
    if (box?.incarnation === life.number && box.hearing === "listening") box.hearing = well ? "deaf" : "held"
  }

  /** The messages of one incarnation. */
  private mailOf(life: Incarnation): Mail {
    const address = agentAddress(life.job.jobId)
    const writer = (): Writer => ({
      address,
      correlationId: life.job.correlationId,
      traceContext: life.traceContext
    })
    return {
      take: Effect.suspend(() => this.boxes.get(life.job.jobId)?.takeFor(life.number) ?? Effect.never),
      // A life that is being stopped says nothing more: its messages would be a stale incarnation's.
      tell: (draft) =>
        Effect.suspend(() => (life.interrupted ? Effect.interrupt : this.tell(draft, writer()))),
      ask: (draft, limitMillis) =>
        Effect.suspend(() => (life.interrupted ? Effect.interrupt : this.ask(draft, writer(), limitMillis)))
    }
  }

  readonly tell = Effect.fnUntraced(function* (
    this: PostOffice,
    draft: MessageDraft,
    writer: Writer
  ): Effect.fn.Return<Delivery, MessageRefused> {
    return yield* this.deliver(yield* Effect.fromResult(this.seal(draft, writer)))
  })

  readonly ask = Effect.fnUntraced(function* (
    this: PostOffice,
    draft: MessageDraft,
    writer: Writer,
    limitMillis: number
  ): Effect.fn.Return<Envelope, AskFailed> {
    const envelope = yield* Effect.fromResult(this.seal(draft, writer))
    const { consumerAgent: consumer, messageId } = envelope
    const answer = Deferred.makeUnsafe<Envelope, MessageUndeliverable>()
    const key = known(writer.address, messageId)
    this.asked.set(key, { consumer, answer })
    const wait = Effect.gen({ self: this }, function* () {
      const delivery = yield* this.deliver(envelope)
      if (delivery._tag === "Full") return yield* new MailboxFull({ messageId, consumer })
      if (delivery._tag === "Dead")
        return yield* new MessageUndeliverable({ messageId, consumer, reason: delivery.reason })
      return yield* Effect.timeoutOrElse(Deferred.await(answer), {
        duration: limitMillis,
        orElse: () => Effect.fail(new AskTimeout({ messageId, consumer, limitMillis }))
      })
    })
    return yield* Effect.ensuring(
      wait,
      Effect.sync(() => {
        this.asked.delete(key)
        this.over.set(key, true)
      })
    )
  })

  private seal(draft: MessageDraft, writer: Writer): Result.Result<Envelope, MessageRefused> {
    const { causationId } = draft
    const cause =
      typeof causationId === "string" ? this.causes.read(known(writer.address, causationId)) : undefined
    const stamp = { messageId: `${this.options.name}-${++this.last}`, sentAt: this.options.now() }
    return seal(draft, writer, stamp, cause ?? null)
  }

  private deliver(envelope: Envelope): Effect.Effect<Delivery, PayloadTypeMismatch> {
    const { causationId, consumerAgent, messageId } = envelope
    const dead = (reason: UndeliverableReason): Delivery => {
      this.bury(envelope, reason)
      return { _tag: "Dead", messageId, reason }
    }
    if (causationId !== null) {
      const question = known(consumerAgent, causationId)
      const asked = this.asked.get(question)
      if (asked?.consumer === envelope.producerAgent) {
        this.remember(envelope)
        const duplicate = !Deferred.doneUnsafe(asked.answer, Effect.succeed(envelope))
        return Effect.succeed({ _tag: "Accepted", messageId, duplicate })
      }
      if (this.over.read(question) === true) return Effect.succeed(dead("reply_too_late"))
    }
    const jobId = jobOfAddress(consumerAgent)
    if (jobId === null)
      return Effect.succeed(dead(consumerAgent.startsWith("operator:") ? "not_listening" : "no_such_agent"))
    const box = this.boxes.get(jobId)
    if (box !== undefined) return this.hand(box, envelope)
    return Effect.flatMap(this.options.whyNot(jobId), ({ job, reason }) => {
      const kept = this.boxes.get(jobId) ?? (job === null ? null : this.keepFor(job, reason))
      return kept === null ? Effect.succeed(dead(reason)) : this.hand(kept, envelope)
    })
  }

  /** A mailbox for an agent that waits for a life, which may come here; null: for this one there is none. */
  private keepFor({ jobId, seq, workflowType }: NonNullable<Stranger["job"]>, reason: UndeliverableReason) {
    const served = this.options.served.get(workflowType)
    if (served === undefined || (reason !== "not_started" && reason !== "between_lives")) return null
    if (served.listens && this.held().size >= mostHeld) return null
    const box = new Box(seq, jobId, served)
    if (!served.listens) return box
    box.hearing = "held"
    box.left = true
    this.boxes.set(jobId, box)
    return box
  }

  /** Puts a message into its mailbox, or says why not. */
  private hand(box: Box, envelope: Envelope): Effect.Effect<Delivery, PayloadTypeMismatch> {
    const { messageId } = envelope
    if (box.hearing === "deaf")
      // Its work is done; whether its job is over by now, its row says.
      return Effect.map(this.options.whyNot(box.jobId), ({ reason: found }): Delivery => {
        const reason = found === "ended" ? "ended" : "not_listening"
        this.bury(envelope, reason)
        return { _tag: "Dead", messageId, reason }
      })
    const fault = this.fault(box, envelope)
    if (fault !== null) return Effect.fail(fault)
    switch (box.offer({ envelope, bytes: JSON.stringify(envelope).length })) {
      case "accepted":
        this.remember(envelope)
        return Effect.succeed({ _tag: "Accepted", messageId, duplicate: false })
      case "duplicate":
        return Effect.succeed({ _tag: "Accepted", messageId, duplicate: true })
      case "full":
        this.bury(envelope, "mailbox_full")
        return Effect.succeed({ _tag: "Full", messageId })
    }
  }

  /** Holds the message against what its consumer declares; a sender that breaks that is told, and so is the operator. */
  private fault({ served }: Box, envelope: Envelope): PayloadTypeMismatch | null {
    const { workflow } = served
    const read = readMessage(workflow.messages, envelope)
    if (Result.isSuccess(read)) return null
    this.bury(envelope, "payload_mismatch")
    return new PayloadTypeMismatch({ workflowType: workflow.name, subject: "message", ...read.failure })
  }

  private remember({ consumerAgent, correlationId, messageId, producerAgent }: Envelope): void {
    const cause = { messageId, correlationId, producerAgent }
    this.causes.set(known(consumerAgent, messageId), cause)
    this.causes.set(known(producerAgent, messageId), cause)
  }

  private bury(envelope: Envelope, reason: UndeliverableReason): void {
    this.options.dead.add({ envelope, reason, at: this.options.now() })
    const { consumerAgent: consumer, messageId, producerAgent } = envelope
    const asked = this.asked.get(known(producerAgent, messageId))
    if (asked === undefined) return
    Deferred.doneUnsafe(asked.answer, Effect.fail(new MessageUndeliverable({ messageId, consumer, reason })))
  }
}
