/**
 * Shows a run on a terminal: the board as long as it goes on, then the lines of jobs that did not land, and the summary. A run that is over
 * at once shows no board.
 */
import { Store } from "@muster/core"
import { Cause, Clock, Console, Effect, Exit, Scope } from "effect"
import type { Style } from "../output/Style.ts"
import * as Board from "../watch/Board.ts"
import * as RunSource from "../watch/sources/RunSource.ts"
import type { News, Reporter } from "./News.ts"
import type { RunProgress } from "./RunProgress.ts"
import { summaryLines } from "./RunSummary.ts"
import { stateLine } from "./StateLine.ts"

export interface BoardReporterOptions {
  readonly title: string
  readonly progress: RunProgress
  readonly style: Style
  /** How the board is shown: another one in tests. */
  readonly show?: typeof Board.show
}

/** A run that takes no longer than this shows no board, in milliseconds. */
const patienceMillis = 700
/** Lines that are kept for the end; of more, the latest. */
const keptLines = 50

/** What is worth a line of its own: what didn't land. */
const isNotable = (news: News): boolean =>
  news._tag === "Conflict" || (news._tag === "Over" && !news.already && news.stored.job.state !== "COMPLETED")

/** As ctrl-c does: whoever stops a run by it is heard the same way. */
const interruptRun = Effect.sync(() => process.kill(process.pid, "SIGINT"))

export const make = Effect.fnUntraced(function* (options: BoardReporterOptions) {
  const { progress, show = Board.show, style, title } = options
  const store = yield* Store
  const scope = yield* Scope.fork(yield* Scope.Scope)
  const startedAt = yield* Clock.currentTimeMillis
  let notice = ""
  let isUp = false
  let dropped = 0
  const kept: Array<string> = []

  /** The terminal is free again. */
  const tellKept = Effect.suspend(() => {
    isUp = false
    const more = dropped === 0 ? [] : [`… ${dropped} lines of this kind came before: muster dlq list`]
    const lines = [...more, ...kept.splice(0)]
    dropped = 0
    return lines.length === 0 ? Effect.void : Console.log(lines.join("\n"))
  })

  const reporter: Reporter = {
    tell: (news) =>
      Effect.suspend(() => {
        const lines = news.filter(isNotable).flatMap((one) => stateLine(one, style) ?? [])
        if (lines.length === 0) return Effect.void
        if (!isUp) return Console.log(lines.join("\n"))
        kept.push(...lines)
        dropped += kept.splice(0, Math.max(0, kept.length - keptLines)).length
        return Effect.void
      }),
    watch: (fleet) =>
      Effect.gen(function* () {
        yield* Effect.sleep(patienceMillis)
        isUp = true
        const board = { title, startedAt, counts: () => progress.counts, notice: () => notice }
        const source = yield* RunSource.make(fleet, board)
        yield* show(source, { quits: "run", onQuit: interruptRun })
      }).pipe(
        // a board that breaks costs the run nothing: its lines go on
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.void
            : Effect.logError("the board has come to its end", cause)
        ),
        Effect.ensuring(tellKept),
        Effect.provideService(Store, store),
        Effect.provideService(Scope.Scope, scope),
        Effect.forkIn(scope),
        Effect.asVoid
      ),
    stopping: Effect.suspend(() => {
      notice = "stopping: what runs is handed back"
      return isUp ? Effect.void : Console.error(`${notice}.`)
    }),
    end: ({ next, summary }) =>
      Effect.andThen(
        Scope.close(scope, Exit.void),
        Console.log(summaryLines(summary, next, style).join("\n"))
      )
  }
  return reporter
})
