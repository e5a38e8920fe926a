/**
 * `muster metrics`: what a running host has counted. It is in that host's memory: without one there is nothing to tell.
 */
import { exit, HostNotFound } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Ended } from "../Ended.ts"
import { JsonFlag } from "../GlobalFlags.ts"
import { isGone, liveHosts } from "../hosts/LiveHosts.ts"
import type { MetricsJson } from "../json/MetricsJson.ts"
import { answer } from "../output/Answer.ts"
import { report } from "../Report.ts"
import * as StoreFile from "../store/StoreFile.ts"

/** No code of the catalogue is for it: nothing has failed but the question. */
const nobody = Effect.gen(function* () {
  const failure = {
    code: "unavailable",
    message: "No host of this store answers, and metrics are those of a running host.",
    hint: "muster status names the hosts",
    exit_code: exit.unavailable
  }
  yield* report(failure, yield* JsonFlag)
  return yield* new Ended({ exitCode: exit.unavailable })
})

const tell = Effect.fnUntraced(function* (wanted: number | undefined) {
  const hosts = yield* liveHosts
  const asked = hosts.find(({ host }) => wanted === undefined || host === wanted)
  if (asked === undefined) return yield* wanted === undefined ? nobody : new HostNotFound({ host: wanted })
  const prometheus = yield* asked.client.Metrics().pipe(Effect.catchIf(isGone, () => nobody))
  const document: MetricsJson = { host: asked.host, prometheus }
  yield* answer(document, () => [prometheus.trimEnd()])
}, Effect.scoped)

export const metrics = ({ host }: { readonly host: Option.Option<number> }) =>
  Effect.provide(tell(Option.getOrUndefined(host)), StoreFile.layer("read"))
