import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import * as NodeDigest from "../../src/adapters/NodeDigest.ts"

const data = new TextEncoder().encode("a payload")

describe("the digests of Node", () => {
  for (const algorithm of [Digest.md5, Digest.sha1, Digest.sha256, Digest.sha384, Digest.sha512]) {
    it.effect(`${algorithm.name}: of its length, as bytes and as hex alike`, () =>
      Effect.gen(function* () {
        const { digest, digestHex } = yield* Digest.Digest
        const bytes = yield* digest(algorithm, data)
        assert.strictEqual(bytes.length, algorithm.outputLength)
        const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
        assert.strictEqual(yield* digestHex(algorithm, data), hex)
      }).pipe(Effect.provide(NodeDigest.layer))
    )
  }

  it.effect("are those of the web's cryptography, without a wait", () =>
    Effect.gen(function* () {
      const hex = Effect.flatMap(Digest.Digest, ({ digestHex }) => digestHex(Digest.sha256, data))
      const web = yield* Effect.provide(hex, Digest.layerWebCrypto)
      const context = yield* Effect.context()
      // Synchronously, or it dies: that is the point.
      const node = Effect.runSyncWith(context)(Effect.provide(hex, NodeDigest.layer))
      assert.strictEqual(node, web)
    })
  )
})
