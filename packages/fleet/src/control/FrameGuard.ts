/**
 * The wire's format, a JSON document a line, with bounds: whoever sends a line that is too long, no message, or more questions at once than
 * anybody needs is cut off before anything of it reaches the fleet.
 */
import { Data, Layer } from "effect"
import { RpcSerialization } from "effect/rpc"

export interface FrameLimits {
  /** Code units of one line; a longer one is refused as soon as that much has come. */
  readonly line: number
  /** Questions of one connection that are not answered yet, streams among them. */
  readonly open: number
}

/** The name that the protocol knows for a connection that must be closed. */
class Refused extends Data.TaggedError("MaxBufferSizeExceeded")<{ readonly detail: string }> {}

/** What a line may say of itself. */
interface Frame {
  readonly _tag?: unknown
  readonly id?: unknown
  readonly requestId?: unknown
  readonly tag?: unknown
  readonly headers?: unknown
  readonly isNotification?: unknown
}

const isRecord = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isId = (value: unknown): boolean =>
  (typeof value === "string" && value.length <= 64) || typeof value === "number"

/** Headers as pairs of text; left out for none. */
const isHeaders = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && pair.every((text) => typeof text === "string")))

/** Whether it is one of the messages that clients send, as far as the protocol looks into it unasked. */
const isMessage = (value: unknown): boolean => {
  if (!isRecord(value)) return false
  switch (value._tag) {
    case "Request":
      return (
        isId(value.id) &&
        typeof value.tag === "string" &&
        isHeaders(value.headers) &&
        value.isNotification === undefined
      )
    case "Ack":
    case "Interrupt":
      return isId(value.requestId)
    case "Ping":
    case "Eof":
      return true
    default:
      return false
  }
}

const make = (limits: FrameLimits): RpcSerialization.RpcSerialization["Service"] => {
  const ndjson = RpcSerialization.makeNdjson({ maxBufferSize: limits.line })
  return RpcSerialization.RpcSerialization.of({
    ...ndjson,
    makeUnsafe: () => {
      const parser = ndjson.makeUnsafe()
      const open = new Set<unknown>()
      let refused = false
      const refuse = (detail: string): never => {
        refused = true
        throw new Refused({ detail })
      }
      const lines = (bytes: Uint8Array | string): ReadonlyArray<unknown> => {
        try {
          return parser.decode(bytes)
        } catch {
          return refuse("a line is too long, or no JSON")
        }
      }
      return {
        decode: (bytes) => {
          // What still comes of a connection that is being closed is not looked at.
          if (refused) return []
          const messages = lines(bytes)
          // One who waits for answers has no more to say at once: its questions, what it has heard of them, and that it is there.
          if (messages.length > 4 * limits.open) refuse("too many messages at once")
          for (const message of messages) {
            if (!isMessage(message)) refuse("a line is no message")
            if (isRecord(message) && message._tag === "Request") open.add(message.id)
            if (open.size > limits.open) refuse("too many open questions")
          }
          return messages
        },
        encode: (response) => {
          if (isRecord(response) && response._tag === "Exit") open.delete(response.requestId)
          return parser.encode(response)
        }
      }
    }
  })
}

export const layer = (limits: FrameLimits): Layer.Layer<RpcSerialization.RpcSerialization> =>
  Layer.succeed(RpcSerialization.RpcSerialization, make(limits))

/** The same format for clients, who ask and are not asked. */
export const clientLayer = (line: number): Layer.Layer<RpcSerialization.RpcSerialization> =>
  RpcSerialization.layerNdjsonWith({ maxBufferSize: line })
