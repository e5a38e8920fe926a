/**
 * Digests by Node's own library, in the step that asks for them: one that is waited for would let the machine's load decide which of two
 * submissions comes first, or whether a turn comes in between (R12).
 */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"

/** `SHA-256` as Node calls it. */
const nameOf = ({ name }: Parameters<Digest.Digest["Service"]["digest"]>[0]): string =>
  name.toLowerCase().replace("-", "")

export const layer: Layer.Layer<Digest.Digest> = Layer.succeed(Digest.Digest, {
  digest: (algorithm, data) =>
    Effect.sync(() => new Uint8Array(createHash(nameOf(algorithm)).update(data).digest())),
  digestHex: (algorithm, data) => Effect.sync(() => createHash(nameOf(algorithm)).update(data).digest("hex"))
})
