/**
 * `muster watch`: the board on a terminal, else a line now and then.
 */
import { Effect, Layer } from "effect"
import * as StoreFile from "../store/StoreFile.ts"
import * as Board from "./Board.ts"
import { canShow } from "./canShow.ts"
import { plainWatch } from "./PlainWatch.ts"
import * as LiveSource from "./sources/LiveSource.ts"

const watchNow = Effect.gen(function* () {
  if (!(yield* canShow)) return yield* plainWatch
  return yield* Board.show(yield* LiveSource.make, { quits: "board", onQuit: Effect.void })
})

/** One that can't be written is shown all the same; what its keys ask for is refused then. */
const store = StoreFile.layer("existing").pipe(Layer.catch(() => StoreFile.layer("read")))

export const watch = Effect.provide(Effect.scoped(watchNow), store)
