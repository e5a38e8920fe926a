/**
 * The board at work: looks, keys and lines become frames, keys become deeds. Many things that happen at once make one frame.
 */
import { Clock, Deferred, Effect, FiberHandle, Queue, Stream } from "effect"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import type { BoardCommand } from "./BoardCommand.ts"
import type { BoardSource, LogLine } from "./BoardSource.ts"
import {
  type BoardState,
  endLog,
  initial,
  say,
  takeLines,
  takeLook,
  takeSize,
  takeTime
} from "./BoardState.ts"
import { harmless, type Tone } from "./Cells.ts"
import { type FleetLook, shortId } from "./FleetLook.ts"
import { frame } from "./frame.ts"
import { type Key, press } from "./Keys.ts"
import * as Screen from "./Screen.ts"
import { settled } from "./Selection.ts"
import { lineOf } from "./Talk.ts"

type Message =
  | { readonly _tag: "Look"; readonly look: FleetLook }
  | { readonly _tag: "Key"; readonly key: Key }
  | { readonly _tag: "Size"; readonly columns: number; readonly rows: number }
  | { readonly _tag: "Lines"; readonly jobId: string; readonly lines: ReadonlyArray<LogLine> }
  | { readonly _tag: "LogOver"; readonly jobId: string }
  | { readonly _tag: "Said"; readonly text: string; readonly tone: Tone }
  | { readonly _tag: "Tick" }

/** Between two looks that are shown: ten a second are as many as anybody sees. */
const lookMillis = 100
const tickMillis = 1_000

export interface BoardOptions {
  readonly quits: BoardState["quits"]
  /** What quitting a run does: the board stays until the run has stopped. */
  readonly onQuit: Effect.Effect<void>
}

const take = (
  state: BoardState,
  message: Message,
  now: number
): readonly [BoardState, BoardCommand | null] => {
  switch (message._tag) {
    case "Look":
      return [takeLook(state, message.look, now), null]
    case "Size":
      return [takeSize(state, message.columns, message.rows), null]
    case "Lines":
      return [takeLines(state, message.jobId, message.lines), null]
    case "LogOver":
      return [endLog(state, message.jobId), null]
    case "Said":
      return [say(state, message.text, message.tone), null]
    case "Tick":
      return [state, null]
    case "Key": {
      const pressed = press(state, message.key)
      return [pressed.state, pressed.command]
    }
  }
}

/** Shows the board until it is left, or something breaks; then the terminal is as it was. */
export const show = Effect.fnUntraced(function* (source: BoardSource, options: BoardOptions) {
  const { canColor } = yield* TerminalCapabilities
  const messages = yield* Queue.unbounded<Message>()
  const post = (message: Message): void => {
    Queue.offerUnsafe(messages, message)
  }
  const left = yield* Deferred.make<void>()
  const screen = yield* Screen.open({
    color: canColor,
    onKey: (key) => post({ _tag: "Key", key }),
    onResize: (columns, rows) => post({ _tag: "Size", columns, rows }),
    onTalk: (text) => {
      const line = lineOf(text)
      if (line !== "") post({ _tag: "Said", text: line, tone: "waiting" })
    }
  })
  const logs = yield* FiberHandle.make()

  const follow = (jobId: string): Effect.Effect<void> =>
    source.log(jobId).pipe(
      Stream.runForEach((lines) => Effect.sync(() => post({ _tag: "Lines", jobId, lines }))),
      Effect.andThen(Effect.sync(() => post({ _tag: "LogOver", jobId })))
    )
  /** Says what is asked at once, and what came of it when it has. */
  const act = (asked: string, deed: Effect.Effect<string>) => {
    post({ _tag: "Said", text: asked, tone: "faint" })
    return Effect.forkScoped(
      Effect.map(deed, (text) => post({ _tag: "Said", text: harmless(text), tone: "title" }))
    )
  }
  const { actions } = source
  const perform = Effect.fnUntraced(function* (command: BoardCommand) {
    switch (command._tag) {
      case "OpenLog":
        return yield* FiberHandle.run(logs, follow(command.jobId))
      case "CloseLog":
        return yield* FiberHandle.clear(logs)
      case "Cancel":
        return yield* act(`cancelling job ${shortId(command.jobId)} …`, actions.cancel(command.jobId))
      case "Pause":
        return yield* act("pausing …", actions.pause)
      case "Resume":
        return yield* act("resuming …", actions.resume)
      case "Scale":
        return yield* act("setting slots …", actions.scale(command.host, command.slots))
      case "Replay":
        return yield* act(`replaying job ${shortId(command.jobId)} …`, actions.replay(command.jobId))
      case "Quit":
        return yield* options.quits === "run" ? options.onQuit : Deferred.succeed(left, undefined)
      case "Suspend":
        return yield* screen.suspend
      case "Redraw":
        return yield* screen.redraw
    }
  })

  let state = initial({
    columns: screen.columns(),
    rows: screen.rows(),
    now: yield* Clock.currentTimeMillis,
    quits: options.quits,
    hasKeys: screen.hasKeys
  })
  const turn = Effect.gen(function* () {
    const batch = yield* Queue.takeAll(messages)
    const now = yield* Clock.currentTimeMillis
    state = takeTime(state, now)
    const commands: Array<BoardCommand> = []
    if (batch.some(({ _tag }) => _tag === "Size")) yield* screen.redraw
    for (const message of batch) {
      const [next, command] = take(state, message, now)
      state = settled(next)
      if (command !== null) commands.push(command)
    }
    for (const command of commands) yield* perform(command)
    yield* screen.paint(frame(state))
  })

  yield* Effect.forkScoped(
    source.looks.pipe(
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      Stream.runForEach((look) =>
        Effect.andThen(
          Effect.sync(() => post({ _tag: "Look", look })),
          Effect.sleep(lookMillis)
        )
      )
    )
  )
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.andThen(
        Effect.sleep(tickMillis),
        Effect.sync(() => post({ _tag: "Tick" }))
      )
    )
  )
  yield* screen.paint(frame(state))
  yield* Effect.raceFirst(Effect.forever(turn), Deferred.await(left))
}, Effect.scoped)
