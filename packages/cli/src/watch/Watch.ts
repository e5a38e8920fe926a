/**
 * `muster watch`: the board on a terminal, else a line now and then.
 */
import { Effect } from "effect"
import * as StoreFile from "../store/StoreFile.ts"
import * as Board from "./Board.ts"
import { canShow } from "./canShow.ts"
import { plainWatch } from "./PlainWatch.ts"
import * as LiveSource from "./sources/LiveSource.ts"

const watchNow = Effect.gen(function* () {
  if (!(yield* canShow)) return yield* plainWatch
  return yield* Board.show(yield* LiveSource.make, { quits: "board", onQuit: Effect.void })
})

export const watch = Effect.provide(Effect.scoped(watchNow), StoreFile.layer("existing"))
