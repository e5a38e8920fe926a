// What comes over the wire: messages are taken, everything else is refused, however it is cut into pieces.
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { RpcSerialization } from "effect/rpc"
import * as FrameGuard from "../../src/control/FrameGuard.ts"
import { question } from "./ControlScene.ts"

const parser = Effect.scoped(
  Effect.map(Layer.build(FrameGuard.layer({ line: 10_000, open: 4 })), (context) =>
    Context.get(context, RpcSerialization.RpcSerialization).makeUnsafe()
  )
)

/** What the protocol is given, or that the connection must be closed. */
const taken = (decode: () => ReadonlyArray<unknown>): ReadonlyArray<unknown> | "refused" => {
  try {
    return decode()
  } catch (error) {
    assert.deepInclude(error, { _tag: "MaxBufferSizeExceeded" })
    return "refused"
  }
}

describe("the guard of the wire", () => {
  it.effect.prop(
    "refuses or takes whatever comes, and gives on nothing but messages",
    { text: Schema.String, junk: Schema.Unknown },
    ({ junk, text }) =>
      Effect.map(parser, ({ decode }) => {
        const json = JSON.stringify(junk) ?? "null"
        const got = taken(() => decode(`${text}\n${json}\n`))
        if (got !== "refused") assert.isTrue(got.every((message) => typeof message === "object"))
        // Once refused, a connection has no more to say.
        if (got === "refused") assert.deepStrictEqual(decode(question("1", "Hello")), [])
      })
  )

  it.effect.prop(
    "takes a message in whatever pieces it comes",
    { cut: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })) },
    ({ cut }) =>
      Effect.map(parser, ({ decode }) => {
        const bytes = new TextEncoder().encode(question("1", "Hello", { name: "Zoë" }))
        const got = [...decode(bytes.slice(0, cut)), ...decode(bytes.slice(cut))]
        assert.strictEqual(got.length, 1)
        assert.deepInclude(got[0], { _tag: "Request", tag: "Hello", payload: { name: "Zoë" } })
      })
  )

  it.effect("counts a question as open until it is answered", () =>
    Effect.map(parser, ({ decode, encode }) => {
      for (let round = 0; round < 3; round++)
        for (const id of ["1", "2", "3", "4"]) {
          assert.strictEqual(decode(question(id, "Hello")).length, 1)
          encode({ _tag: "Exit", requestId: id, exit: { _tag: "Success", value: null } })
        }
      for (const id of ["1", "2", "3", "4"]) decode(question(id, "Hello"))
      assert.strictEqual(
        taken(() => decode(question("5", "Hello"))),
        "refused"
      )
    })
  )

  it.effect("refuses a line as soon as it is too long, not when it ends", () =>
    Effect.map(parser, ({ decode }) => {
      assert.deepStrictEqual(decode("x".repeat(9_000)), [])
      assert.strictEqual(
        taken(() => decode("x".repeat(2_000))),
        "refused"
      )
    })
  )
})
