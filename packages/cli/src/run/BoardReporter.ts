/**
 * Shows a run on a terminal: the board, repainted ten times a second, with the lines of jobs that did not land above it, where they stay.
 * While it is up, whatever this process writes goes above it too, so that nothing tears it.
 */
import type { AgentGlimpse } from "@muster/fleet"
import { Clock, Console, Effect, type Scope } from "effect"
import type { Style } from "../output/Style.ts"
import { type BoardView, renderBoard } from "./Board.ts"
import type { News, Reporter } from "./News.ts"
import { Painter } from "./Painter.ts"
import type { RunProgress } from "./RunProgress.ts"
import { summaryLines } from "./RunSummary.ts"
import { stateLine } from "./StateLine.ts"

/** As much of a terminal's stream as the board needs. */
type TerminalStream = Pick<NodeJS.WriteStream, "columns" | "rows" | "write">

/** Gives whole lines that are written to `stream` to `take`, until the scope is closed. */
const divert = (
  stream: TerminalStream,
  take: (lines: string) => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        const own = Object.getOwnPropertyDescriptor(stream, "write")
        let rest = ""
        const write = (chunk: Uint8Array | string, ...more: ReadonlyArray<unknown>): boolean => {
          rest += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8")
          const end = rest.lastIndexOf("\n") + 1
          if (end > 0) take(rest.slice(0, end))
          rest = rest.slice(end)
          const done = more.at(-1)
          if (typeof done === "function") process.nextTick(done)
          return true
        }
        stream.write = write
        return () => {
          // write is the prototype's, unless somebody else has put another one before it
          if (own === undefined) Reflect.deleteProperty(stream, "write")
          else Object.defineProperty(stream, "write", own)
          if (rest !== "") stream.write(rest)
        }
      }),
      (restore) => Effect.sync(restore)
    )
  )

export interface BoardOptions {
  readonly title: string
  readonly store: string
  readonly slots: number
  readonly progress: RunProgress
  readonly style: Style
  readonly color: boolean
}

/** What is worth a line of its own above the board: what didn't land. */
const isNotable = (news: News): boolean =>
  news._tag === "Conflict" || (news._tag === "Over" && !news.already && news.stored.job.state !== "COMPLETED")

/** @param screen the terminal */
export const make = Effect.fnUntraced(function* (
  options: BoardOptions,
  screen: TerminalStream = process.stdout,
  talk: TerminalStream = process.stderr
) {
  const { color, progress, style } = options
  const write = screen.write.bind(screen)
  const painter = new Painter({
    get columns() {
      return screen.columns
    },
    write: (text) => {
      write(text)
    }
  })
  const startedAt = yield* Clock.currentTimeMillis
  let glimpses: Effect.Effect<ReadonlyArray<AgentGlimpse>> = Effect.succeed([])
  let notice = ""
  let isUp = true

  const paint = Effect.gen(function* () {
    const agents = yield* glimpses
    const view: BoardView = {
      title: options.title,
      store: options.store,
      now: yield* Clock.currentTimeMillis,
      startedAt,
      slots: options.slots,
      agents,
      counts: progress.counts,
      retries: progress.retries,
      // a look at every job, for those who see none at work
      nextDue: agents.length === 0 ? progress.nextDue : null,
      notice
    }
    if (isUp) painter.paint(renderBoard(view, { columns: screen.columns, rows: screen.rows, color }))
  })
  const takeDown = Effect.sync(() => {
    if (isUp) painter.clear()
    isUp = false
  })

  const above = (text: string): void => {
    if (isUp) painter.talk(text)
    else write(text)
  }
  yield* divert(screen, above)
  yield* divert(talk, above)
  yield* Effect.addFinalizer(() => takeDown)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(paint, Effect.sleep("100 millis"))))

  const reporter: Reporter = {
    tell: (news) =>
      Effect.sync(() => {
        const lines = news.filter(isNotable).flatMap((one) => stateLine(one, style) ?? [])
        if (lines.length > 0) above(`${lines.join("\n")}\n`)
      }),
    watch: (agents) => {
      glimpses = agents
    },
    stopping: Effect.andThen(
      Effect.sync(() => {
        notice = "stopping: what runs is handed back"
      }),
      paint
    ),
    end: ({ next, summary }) =>
      Effect.andThen(takeDown, Console.log(summaryLines(summary, next, style).join("\n")))
  }
  return reporter
})
