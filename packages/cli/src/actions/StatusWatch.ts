/**
 * `muster status --watch`: the same again and again, in place on a terminal, else as one block after the other; with `--json` one document a line.
 */
import { Console, Deferred, Effect, Queue } from "effect"
import { untilInterrupted } from "../Following.ts"
import { JsonFlag } from "../GlobalFlags.ts"
import type { StatusJson } from "../json/StatusJson.ts"
import { answer, page } from "../output/Answer.ts"
import { isListening } from "../output/Listener.ts"
import { fit } from "../output/Text.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { canShow } from "../watch/canShow.ts"
import { span } from "../watch/Cells.ts"
import * as Screen from "../watch/Screen.ts"
import { readStatus, statusLines } from "./Status.ts"

/** Goes on until nobody reads. */
const print = Effect.fnUntraced(function* (millis: number) {
  const isJson = yield* JsonFlag
  for (let isFirst = true; yield* isListening; isFirst = false) {
    if (!isFirst && !isJson) yield* Console.log("")
    const document = yield* readStatus
    yield* answer(document, (shown) => statusLines(document, shown))
    yield* Effect.sleep(millis)
  }
})

/** As many lines as there is room for; the last one says that there are more. */
export const within = (lines: ReadonlyArray<string>, rows: number): ReadonlyArray<string> => {
  if (lines.length <= rows) return lines
  const shown = lines.slice(0, Math.max(0, rows - 1))
  return [...shown, `… ${lines.length - shown.length} lines more`]
}

const footer = (millis: number): string => `every ${millis / 1_000} s; q ends it`

/** Goes on until a key ends it; answers the last document. */
const draw = Effect.fnUntraced(function* (millis: number) {
  const wake = yield* Queue.sliding<null>(1)
  const left = yield* Deferred.make<void>()
  const screen = yield* Screen.open({
    // the lines bring their colours along
    color: false,
    onKey: ({ ctrl, name, text }) => {
      if (name === "escape" || (name === "character" && (text === "q" || (ctrl && text === "c"))))
        Deferred.doneUnsafe(left, Effect.void)
      else Queue.offerUnsafe(wake, null)
    },
    onResize: () => Queue.offerUnsafe(wake, null),
    onTalk: () => undefined
  })
  let last: StatusJson | null = null
  const frames = Effect.gen(function* () {
    for (;;) {
      const document = yield* readStatus
      last = document
      const shown = yield* page
      const style = shown.style.faint
      // the bottom row is left for the footer
      const lines = within(statusLines(document, { ...shown, width: screen.columns() }), screen.rows() - 2)
      const all = [...lines, "", style(fit(footer(millis), screen.columns()))]
      yield* screen.paint(all.map((line) => [span(line)]))
      const resized = yield* Effect.timeoutOption(Queue.take(wake), millis)
      if (resized._tag === "Some") yield* screen.redraw
    }
  })
  yield* Effect.raceFirst(frames, Deferred.await(left))
  return last
})

const watching = Effect.fnUntraced(function* (millis: number) {
  if (!(yield* canShow)) return yield* print(millis)
  const last: StatusJson | null = yield* Effect.scoped(draw(millis))
  // what was seen last stays
  if (last !== null) yield* answer(last, (shown) => statusLines(last, shown))
})

/** @param interval in seconds */
export const statusWatch = ({ interval }: { readonly interval: number }) =>
  untilInterrupted(Effect.provide(watching(interval * 1_000), StoreFile.layer("read")))
