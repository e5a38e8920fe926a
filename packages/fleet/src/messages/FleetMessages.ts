/**
 * The part of the embedding API that is about messages: what operators and hosts tell an agent goes the way of every message.
 */
import {
  type AskFailed,
  type Delivery,
  type Envelope,
  EnvelopeInvalid,
  type MessageDraft,
  type MessageRefused
} from "@muster/core"
import { Deferred, Duration, Effect } from "effect"
import type { FleetEnded } from "../Fleet.ts"
import type { PostOffice } from "./PostOffice.ts"
import type { Writer } from "./Seal.ts"

/** What an operator or a host says to an agent. */
export interface OperatorMessage extends Omit<MessageDraft, "to" | "messageType"> {
  /** Left out: `text`, whose payload is a text. */
  readonly messageType?: string
  /** `kind:id` of who says it, as in `operator:ana`; default this process. Never an agent's. */
  readonly from?: string
}

export interface MessageService {
  /**
   * Tells an agent something: `agent:<job id>` or the job's id. Answers what became of it: accepted, full, or dead with the reason. Only agents
   * that live on this host can be told.
   */
  readonly tell: (
    agent: string,
    message: OperatorMessage
  ) => Effect.Effect<Delivery, MessageRefused | FleetEnded>
  /** Tells an agent something and waits for its answer until the deadline. */
  readonly ask: (
    agent: string,
    message: OperatorMessage & { readonly deadline: Duration.Input }
  ) => Effect.Effect<Envelope, AskFailed | FleetEnded>
}

const draftOf = (to: string, { from: _from, ...said }: OperatorMessage): MessageDraft => ({
  ...said,
  messageType: said.messageType ?? "text",
  to
})

export const make = (
  office: PostOffice,
  host: number,
  ended: Deferred.Deferred<never, FleetEnded>
): MessageService => {
  const writerOf = (from = `caller:host-${host}`): Effect.Effect<Writer, EnvelopeInvalid> =>
    from.startsWith("agent:") || !from.includes(":")
      ? new EnvelopeInvalid({ field: "producer_agent", detail: `${from} is neither an operator nor a host` })
      : Effect.succeed({ address: from, correlationId: null, traceContext: null })
  const orEnd = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | FleetEnded> =>
    Effect.raceFirst(effect, Deferred.await(ended))
  return {
    tell: Effect.fn("Fleet.tell")((agent: string, message: OperatorMessage) =>
      orEnd(Effect.flatMap(writerOf(message.from), (writer) => office.tell(draftOf(agent, message), writer)))
    ),
    ask: Effect.fn("Fleet.ask")(
      (agent: string, { deadline, ...message }: OperatorMessage & { readonly deadline: Duration.Input }) =>
        orEnd(
          Effect.flatMap(writerOf(message.from), (writer) =>
            office.ask(draftOf(agent, message), writer, Duration.toMillis(Duration.fromInputUnsafe(deadline)))
          )
        )
    )
  }
}
