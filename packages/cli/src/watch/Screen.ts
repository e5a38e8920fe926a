/**
 * The terminal for as long as a scope lasts: taken when the board opens, given back however it ends. What anybody else writes meanwhile is kept
 * and written when the terminal is free again.
 */
import { openSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { ReadStream } from "node:tty"
import { Effect, type Scope } from "effect"
import type { Line } from "./Cells.ts"
import type { InkScreen } from "./Ink.ts"
import type { Key } from "./Keys.ts"

interface Screen {
  readonly columns: () => number
  readonly rows: () => number
  /** Whether keys reach it. */
  readonly hasKeys: boolean
  readonly paint: (lines: ReadonlyArray<Line>) => Effect.Effect<void>
  readonly redraw: Effect.Effect<void>
  /** Stops this process, as ctrl-z does, until somebody lets it go on. */
  readonly suspend: Effect.Effect<void>
}

/** Of a terminal that doesn't say its size. */
const unknownSize = { columns: 80, rows: 24 } as const
/** Lines of others that are kept for the end. */
const keptTalk = 500

/** React reads NODE_ENV once, when it is loaded, and is slow for its own developers' sake without it. Agents never see it. */
const loadInk = Effect.promise(async () => {
  // the environment is this process's own: what agents get is taken from it later
  const { env } = process
  const before = env["NODE_ENV"]
  env["NODE_ENV"] = "production"
  try {
    return await import("#ink")
  } finally {
    if (before === undefined) delete env["NODE_ENV"]
    else env["NODE_ENV"] = before
  }
})

/** Where keys come from: standard input, or the terminal itself where that is a pipe; null: from nowhere. */
const keyboard: Effect.Effect<ReadStream | null, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    if (process.stdin.isTTY) return process.stdin
    try {
      return new ReadStream(openSync("/dev/tty", "r"))
    } catch {
      return null
    }
  }),
  (stream) =>
    Effect.sync(() => {
      if (stream === process.stdin) {
        // an open standard input would keep the process from ending
        stream.pause()
        stream.unref()
      } else stream?.destroy()
    })
)

/** Keeps whole writes to `stream` from the terminal, until the scope is closed. */
const hush = (
  stream: NodeJS.WriteStream,
  hear: (text: string) => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        const own = Object.getOwnPropertyDescriptor(stream, "write")
        stream.write = (chunk: Uint8Array | string, ...more: ReadonlyArray<unknown>): boolean => {
          hear(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"))
          const done = more.at(-1)
          if (typeof done === "function") process.nextTick(done)
          return true
        }
        return () => {
          // write is the prototype's, unless somebody else has put another one before it
          if (own === undefined) Reflect.deleteProperty(stream, "write")
          else Object.defineProperty(stream, "write", own)
        }
      }),
      (restore) => Effect.sync(restore)
    )
  )

/**
 * The terminal's stream with its own `write`, whatever others are given. Its resizes are ours to hear: ink would show the old lines once more,
 * which are too many by then.
 */
const direct = (stream: NodeJS.WriteStream): NodeJS.WriteStream => {
  const write = stream.write.bind(stream)
  const on = (event: string, listener: (...given: ReadonlyArray<unknown>) => void): NodeJS.WriteStream =>
    event === "resize" ? stream : stream.on(event, listener)
  return new Proxy(stream, {
    get: (target, name) => {
      if (name === "write") return write
      if (name === "on") return on
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === "function" ? value.bind(target) : value
    }
  })
}

/** Long enough for the signal to arrive; a process that has been stopped wakes up after it anyway. */
const stopMillis = 100

/** Stopped like any other job of the shell, with what was started beside it. Where no shell could let it go on, the kernel leaves it running. */
const stopped = async (): Promise<void> => {
  process.kill(0, "SIGTSTP")
  // in real time: the kernel stops it, and no clock of ours
  await setTimeout(stopMillis)
}

export interface ScreenOptions {
  readonly color: boolean
  readonly onKey: (key: Key) => void
  readonly onResize: (columns: number, rows: number) => void
  /** Whole texts that others write meanwhile. */
  readonly onTalk: (text: string) => void
}

/** Takes the terminal that standard output is. */
export const open = Effect.fnUntraced(function* (options: ScreenOptions) {
  const { color, onKey, onResize, onTalk } = options
  const ink = yield* loadInk
  const { stderr, stdout } = process
  const own = direct(stdout)
  const kept: Array<readonly [stream: NodeJS.WriteStream, text: string]> = []
  const hear =
    (stream: NodeJS.WriteStream) =>
    (text: string): void => {
      kept.push([stream, text])
      if (kept.length > keptTalk) kept.shift()
      onTalk(text)
    }
  // told when the streams are their own again
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const [stream, text] of kept) stream.write(text)
    })
  )
  const keys = yield* keyboard
  yield* hush(stdout, hear(stdout))
  if (stderr.isTTY) yield* hush(stderr, hear(stderr))
  const screen: InkScreen = yield* Effect.acquireRelease(
    Effect.sync(() =>
      ink.open({ stdout: own, stdin: keys ?? process.stdin, color, hasKeys: keys !== null, onKey })
    ),
    (opened) => Effect.promise(() => opened.close())
  )
  const taken: Screen = {
    columns: () => stdout.columns || unknownSize.columns,
    rows: () => stdout.rows || unknownSize.rows,
    hasKeys: keys !== null,
    paint: (lines) => Effect.sync(() => screen.paint(lines)),
    redraw: Effect.sync(() => screen.clear()),
    suspend: Effect.promise(() => screen.suspend(stopped))
  }
  const resized = (): void => onResize(taken.columns(), taken.rows())
  yield* Effect.acquireRelease(
    Effect.sync(() => stdout.on("resize", resized)),
    () => Effect.sync(() => stdout.off("resize", resized))
  )
  return taken
})
