/**
 * The HTTP client of the exporters: a collector that is down, slow or broken costs bounded memory, one warning, and at most a moment of the
 * exit. What is refused here is a defect on purpose: the exporters try again after any other failure.
 */
import { Cause, Deferred, Duration, Effect } from "effect"
import * as HttpClient from "effect/http/HttpClient"

export interface CollectorClientOptions {
  /** How long the exit may wait for the collector, all signals together. */
  readonly shutdown: Duration.Input
}

/** The longest that a request may take, in milliseconds: the default of OpenTelemetry. */
const requestMillis = 10_000

/** Requests under way at once: more means that the collector doesn't keep up. */
const mostAtOnce = 6

/** What went wrong, in a few words: the reason of a request that never arrived is the cause of its error. */
const brief = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? brief(error.cause) : error.message
}

/** Without what may be a secret. */
const place = (url: string): string => url.replace(/\/\/[^/@]*@/, "//")

/** No failure that is tried again. */
const refuse = (reason: string) => Effect.die(new Error(`the collector ${reason}`))

/** A guard around the client, and what begins its end: from then on nothing is tried again, and what is under way has until `shutdown`. */
export const make = Effect.fnUntraced(function* ({ shutdown }: CollectorClientOptions) {
  const client = yield* HttpClient.HttpClient
  const closing = yield* Deferred.make<void>()
  let underWay = 0
  let told = false

  /** Over when the exit has waited long enough. */
  const overdue = Effect.andThen(
    Effect.andThen(Deferred.await(closing), Effect.sleep(shutdown)),
    refuse("is slow")
  )
  const late = Effect.andThen(Effect.sleep(requestMillis), refuse("doesn't answer"))

  /** Says it once, until the collector answers again. */
  const tell = (url: string, reason: string) =>
    Effect.suspend(() => {
      if (told) return Effect.void
      told = true
      return Effect.logWarning(
        `nothing reaches the collector at ${place(url)}: ${reason}; the fleet goes on without`
      )
    })

  const guarded = HttpClient.transform(client, (send, request) => {
    const sent = Effect.suspend(() => {
      if (underWay >= mostAtOnce) return refuse("doesn't keep up")
      underWay++
      return Effect.ensuring(
        // The body too: it is the answer's end.
        Effect.raceAllFirst([
          Effect.tap(send, (response) => Effect.ignore(response.arrayBuffer)),
          overdue,
          late
        ]),
        Effect.sync(() => {
          underWay--
        })
      )
    })
    return sent.pipe(
      Effect.tap(({ status }) =>
        status < 400
          ? Effect.sync(() => {
              told = false
            })
          : tell(request.url, `it answers ${status}`)
      ),
      Effect.tapCause((cause) => tell(request.url, brief(Cause.squash(cause)))),
      // At the end there is no time to try again.
      Effect.catch((error) => (Deferred.isDoneUnsafe(closing) ? Effect.die(error) : Effect.fail(error))),
      Effect.tap(({ status }) =>
        status >= 400 && Deferred.isDoneUnsafe(closing) ? refuse(`answers ${status}`) : Effect.void
      )
    )
  })
  return { client: guarded, close: Effect.asVoid(Deferred.succeed(closing, undefined)) }
})
