/**
 * The messages that a workflow's agents understand: by type, each with the version of its schema. What doesn't fit is refused, and the
 * place is named.
 */
import { Result, Schema } from "effect"
import { mismatch } from "../Mismatch.ts"
import type { Mismatch } from "../WorkflowPolicy.ts"
import type { Envelope } from "./Envelope.ts"

/** One type of message. Decoding is synchronous and needs no services, as of a payload. */
export interface MessageType<A> {
  readonly payload: Schema.Codec<A, unknown>
  /** Of the schema, from 1; default 1. A message of another version is refused. */
  readonly version?: number
}

/** By type. */
export interface MessageTypes {
  readonly [type: string]: MessageType<unknown>
}

/** A message as it reaches an agent that declares these types. */
export type Received<Types extends MessageTypes> = string extends keyof Types
  ? Envelope
  : {
      [Type in keyof Types & string]: Envelope<Types[Type]["payload"]["Type"]> & {
        readonly messageType: Type
      }
    }[keyof Types & string]

/** A declared type, ready to read. */
export interface DeclaredMessage {
  readonly version: number
  readonly decode: (payload: unknown) => Result.Result<unknown, Mismatch>
}

/** By type; null where none is declared. */
export type DeclaredMessages = ReadonlyMap<string, DeclaredMessage> | null

export const declareMessages = (types: MessageTypes | undefined): DeclaredMessages =>
  types === undefined
    ? null
    : new Map(
        Object.entries(types).map(([type, { payload, version }]) => {
          const decode = Schema.decodeUnknownResult(Schema.toCodecJson(payload))
          return [
            type,
            {
              version: version ?? 1,
              decode: (value: unknown) =>
                Result.mapError(decode(value), (error) => {
                  const { detail, path } = mismatch(error)
                  return { detail, path: `["payload"]${path}` }
                })
            }
          ]
        })
      )

/** The envelope with its payload as the declared schema decodes it. Where nothing is declared it comes as it was sent. */
export const readMessage = (
  declared: DeclaredMessages,
  envelope: Envelope
): Result.Result<Envelope, Mismatch> => {
  if (declared === null) return Result.succeed(envelope)
  const type = declared.get(envelope.messageType)
  if (type === undefined) {
    const known = [...declared.keys()].map((name) => `"${name}"`).join(", ")
    return Result.fail({
      path: `["message_type"]`,
      detail: `"${envelope.messageType}" is not declared; declared: ${known === "" ? "none" : known}`
    })
  }
  if (type.version !== envelope.schemaVersion)
    return Result.fail({
      path: `["schema_version"]`,
      detail: `version ${envelope.schemaVersion} was sent, version ${type.version} is declared`
    })
  return Result.map(type.decode(envelope.payload), (payload): Envelope =>
    // A plain object: an envelope is a struct, no class.
    Object.assign({}, envelope, { payload })
  )
}
