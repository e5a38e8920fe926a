/**
 * A process and everything that it starts: one process group, from spawn until nothing of it is left. On node:child_process and not on
 * effect/process, which can't do four things that a fleet needs: destroy pipes that a process outside the group holds open (they would keep
 * the host alive), name the signal that ended a process, tell zombies from living processes (they would cost the whole grace each time), and
 * fail where spawn throws (arguments that are too long). Timers are native: processes live in real time, under a TestClock too.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { Data, Deferred, Effect, Exit, type Scope } from "effect"
import * as GroupSignal from "./GroupSignal.ts"

export interface ProcessGroupOptions {
  readonly argv: readonly [program: string, ...args: Array<string>]
  readonly cwd: string | undefined
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly input: string
  /** Leave standard input open after the input. */
  readonly keepInputOpen: boolean
  /** Between TERM and KILL, in milliseconds. */
  readonly graceMillis: number
  /** Called for each chunk. Answers whether to take a breath before the next one. */
  readonly onOutput: (source: "stdout" | "stderr", chunk: Buffer) => boolean
}

/** How the leader ended: one of the two is null. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

/** The process never started. */
export class StartFailed extends Data.TaggedError("StartFailed")<{
  /** The system's name for what is wrong, as in ENOENT; empty where it has none. */
  readonly errno: string
  readonly detail: string
}> {}

export interface ProcessGroup {
  readonly pid: number
  /** Writes to its standard input, where that is open still; to a closed one nothing. */
  readonly write: (text: string) => void
  /** Returns when its standard input takes more without keeping it here; never, where it is closed. */
  readonly ready: Effect.Effect<void>
  /** Done when the leader has exited, the rest of its group is gone, and what was in its pipes has been read. */
  readonly ended: Effect.Effect<Ended>
}

/**
 * Something outside the group may hold a pipe open: reading ends when it was quiet for `quiet`, or after `most`, in milliseconds. Time alone
 * proves nothing where the event loop has stood still: as many looks as `looks`, each after a turn of the loop in which what is there was read.
 */
const drain = { quiet: 100, most: 2_000, poll: 20, looks: 4 }

const startFailed = (error: unknown): StartFailed => {
  const detail = error instanceof Error ? error.message : String(error)
  const errno = error instanceof Error && "code" in error ? String(error.code) : ""
  return new StartFailed({ errno, detail })
}

/** Reads a running process to its end, and ends its group. */
const supervise = (child: ChildProcess, pid: number, options: ProcessGroupOptions) => {
  const ended = Deferred.makeUnsafe<Ended>()
  const outputs = [child.stdout, child.stderr].filter((output) => output !== null)
  let exit: Ended | null = null
  let stopping = false
  let quietSince = 0
  let quietLooks = 0

  const finish = () => {
    for (const output of outputs) output.destroy()
    child.stdin?.destroy()
    if (exit !== null) Deferred.doneUnsafe(ended, Exit.succeed(exit))
  }

  const drainThenFinish = () => {
    // A timer, because a pipe that somebody else holds open never says that it is empty.
    const started = performance.now()
    let looks = 0
    const look = () => {
      const now = performance.now() // real time, as above
      looks += 1
      quietLooks = outputs.some((output) => output.isPaused()) ? 0 : quietLooks + 1
      const open = outputs.some((output) => !output.closed)
      const quiet = quietLooks >= drain.looks && now - quietSince >= drain.quiet
      const late = looks >= drain.looks && now - started > drain.most
      if (!open || late || quiet) finish()
      // What a system call has ready is read before immediates run; timers come first after a standstill. Real time, as above.
      else setTimeout(() => setImmediate(look), drain.poll)
    }
    for (const output of outputs)
      output.once("close", () => outputs.every(({ closed }) => closed) && finish())
    quietSince = started
    look()
  }

  const stop = () => {
    if (stopping) return
    stopping = true
    child.stdin?.destroy()
    GroupSignal.end({
      pgid: pid,
      graceMillis: options.graceMillis,
      isLeaderGone: () => exit !== null,
      onGone: drainThenFinish
    })
  }

  const read = (source: "stdout" | "stderr") => {
    const output = child[source]
    output?.on("error", () => undefined)
    output?.on("data", (chunk: Buffer) => {
      quietSince = performance.now() // real time, as above
      quietLooks = 0
      if (!options.onOutput(source, chunk)) return
      output.pause()
      // Not a wait: it lets the loop's other work go first.
      setImmediate(() => output.resume())
    })
  }

  read("stdout")
  read("stderr")
  child.on("error", () => undefined)
  child.once("exit", (code, signal) => {
    exit = { code, signal }
    stop()
  })
  // A process that never reads, or closes its input, is no error.
  child.stdin?.on("error", () => undefined)
  child.stdin?.write(options.input)
  if (!options.keepInputOpen) child.stdin?.end()

  return {
    write: (text: string) => {
      if (child.stdin?.writable === true) child.stdin.write(text)
    },
    ready: Effect.callback<void>((resume) => {
      const { stdin } = child
      if (stdin?.writable !== true) return undefined
      if (!stdin.writableNeedDrain) return resume(Effect.void)
      const drained = () => resume(Effect.void)
      stdin.once("drain", drained)
      return Effect.sync(() => stdin.off("drain", drained))
    }),
    ended: Deferred.await(ended),
    release: Effect.suspend(() => {
      stop()
      return Deferred.await(ended)
    })
  }
}

/** Starts a process as the leader of a group of its own. When the scope closes, the whole group is stopped and gone. */
export const start = (
  options: ProcessGroupOptions
): Effect.Effect<ProcessGroup, StartFailed, Scope.Scope> => {
  const [program, ...args] = options.argv
  const acquire = Effect.callback<ProcessGroup & { readonly release: Effect.Effect<Ended> }, StartFailed>(
    (resume) => {
      try {
        const child = spawn(program, args, {
          ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
          env: { ...options.env },
          detached: true,
          stdio: "pipe"
        })
        const { pid } = child
        if (pid === undefined) child.once("error", (error) => resume(Effect.fail(startFailed(error))))
        else resume(Effect.succeed({ pid, ...supervise(child, pid, options) }))
      } catch (error) {
        resume(Effect.fail(startFailed(error)))
      }
    }
  )
  return Effect.acquireRelease(acquire, ({ release }) => release)
}
