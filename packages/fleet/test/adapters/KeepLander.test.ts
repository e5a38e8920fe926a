import { assignment, landerSuite } from "@muster/core/testing"
import { Effect } from "effect"
import { keepLander } from "../../src/adapters/KeepLander.ts"

const order = (jobId: string) => ({ assignment: assignment({ jobId }), result: "1", fencingToken: 1 })

landerSuite("keepLander", Effect.succeed({ lander: keepLander, order: order("a"), other: order("b") }), {
  landsInStore: true
})
