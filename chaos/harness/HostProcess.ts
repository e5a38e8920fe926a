/**
 * A host as a process of its own: started, spoken to, frozen, stopped and killed. It ends with its scope at the latest.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { Deferred, Effect, Exit, type Scope } from "effect"
import {
  type Fault,
  type HostNews,
  type HostRequest,
  type HostSettings,
  settingsVariable,
  stageVariable
} from "../HostProtocol.ts"
import { Broken } from "../Scenario.ts"
import { signal } from "./ProcessTable.ts"

type Answer = Extract<HostNews, { readonly at: "answer" }>
/** A request that is answered, before it has a number. */
type Question = HostRequest extends infer Request
  ? Request extends { readonly id: number }
    ? Omit<Request, "id">
    : never
  : never

export interface HostEnd {
  readonly code: number | null
  readonly signal: string | null
}

export interface HostProcess {
  readonly pid: number
  /** Everything that it has said so far. */
  readonly news: () => ReadonlyArray<HostNews>
  /** The end of what it has logged. */
  readonly log: () => string
  /** Waits for news of one kind; broken when it ends without them, or says nothing of it in half a minute. */
  readonly heard: <At extends HostNews["at"]>(at: At) => Effect.Effect<Extract<HostNews, { at: At }>, Broken>
  readonly ended: Effect.Effect<HostEnd>
  readonly isOver: () => boolean
  /** Returns when the fault is in force. */
  readonly arm: (fault: Fault) => Effect.Effect<void, Broken>
  readonly ask: (question: Question) => Effect.Effect<Answer, Broken>
  /** SIGTERM, and its end. */
  readonly stop: Effect.Effect<HostEnd, Broken>
  readonly kill: Effect.Effect<void>
  readonly freeze: Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
}

const script = join(import.meta.dirname, "../host.ts")
const patience = "30 seconds"

export interface HostStart {
  readonly settings: HostSettings
  readonly stage: string
  /** Compiled code, kept between the hosts of a run, as an installed program has it. */
  readonly cache: string
  readonly number: number
}

const launch = ({ cache, settings, stage }: HostStart): ChildProcess =>
  spawn(process.execPath, ["--conditions=@muster/source", script], {
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: cache,
      [settingsVariable]: JSON.stringify(settings),
      [stageVariable]: stage
    },
    stdio: ["pipe", "pipe", "pipe"]
  })

/** How long a host takes to load its code on a machine of today that does nothing else, in milliseconds. */
const usualLoading = 600

/**
 * How many times slower than usual this machine was when the host started: what must happen within a time may take so many times longer
 * where others use the processors.
 */
export const slowness = (host: HostProcess): number => {
  const started = host.news().find((news) => news.at === "started")
  return Math.max(1, (started?.loaded ?? 0) / usualLoading)
}

/** Starts one. Returns at once: `heard("started")` waits until it stands. */
export const start = Effect.fnUntraced(function* (
  given: HostStart
): Effect.fn.Return<HostProcess, never, Scope.Scope> {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => launch(given)),
    (launched) => Effect.sync(() => launched.kill("SIGKILL"))
  )
  const { pid } = child
  // A signal to pid 0 would go to everybody here.
  if (pid === undefined) return yield* Effect.die(new Error("a host's process could not be started"))
  const news: Array<HostNews> = []
  const listeners = new Set<() => void>()
  const over = Deferred.makeUnsafe<HostEnd>()
  let end: HostEnd | null = null
  let rest = ""
  let log = ""
  let asked = 0

  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n")
    rest = lines.pop() ?? ""
    // Written by our own host program.
    for (const line of lines) news.push(JSON.parse(line) as HostNews)
    for (const listen of listeners) listen()
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-8_000)
  })
  child.stdin?.on("error", () => undefined)
  child.on("close", (code, name) => {
    end = { code, signal: name }
    Deferred.doneUnsafe(over, Exit.succeed(end))
    for (const listen of listeners) listen()
  })

  const described = (what: string) =>
    `host ${given.number} ${what}${log === "" ? "" : `; it said: ${log.slice(-600).trim()}`}`

  /** Waits until the look finds something. */
  const found = <A>(what: string, look: () => A | undefined): Effect.Effect<A, Broken> =>
    Effect.callback<A, Broken>((resume) => {
      const listen = () => {
        const seen = look()
        if (seen !== undefined) resume(Effect.succeed(seen))
        else if (end !== null)
          resume(
            Effect.fail(new Broken({ detail: described(`ended (${end.signal ?? end.code}) before ${what}`) }))
          )
        else return
        listeners.delete(listen)
      }
      listeners.add(listen)
      listen()
      return Effect.sync(() => listeners.delete(listen))
    }).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(new Broken({ detail: described(`says nothing of ${what}`) }))
      })
    )

  const send = (request: HostRequest) =>
    Effect.sync(() => {
      child.stdin?.write(`${JSON.stringify(request)}\n`)
    })

  const ask = (question: Question) =>
    Effect.suspend(() => {
      const id = (asked += 1)
      return Effect.andThen(
        send({ ...question, id }),
        found(`the answer to ${question.ask}`, () =>
          news.find((one): one is Answer => one.at === "answer" && one.id === id)
        )
      )
    })

  return {
    pid,
    news: () => news,
    log: () => log,
    heard: (at) =>
      found(at, () =>
        // Found by the very word that tells the kinds apart.
        news.find((one): one is Extract<HostNews, { at: typeof at }> => one.at === at)
      ),
    ended: Deferred.await(over),
    isOver: () => end !== null,
    arm: (fault) => Effect.asVoid(ask({ ask: "fault", fault })),
    ask,
    stop: Effect.suspend(() => {
      signal(pid, "SIGTERM")
      return Effect.timeoutOrElse(Deferred.await(over), {
        duration: patience,
        orElse: () => Effect.fail(new Broken({ detail: described("doesn't stop") }))
      })
    }),
    kill: Effect.suspend(() => {
      child.kill("SIGKILL")
      return Effect.asVoid(Deferred.await(over))
    }),
    freeze: Effect.sync(() => signal(pid, "SIGSTOP")),
    thaw: Effect.sync(() => signal(pid, "SIGCONT"))
  }
})
