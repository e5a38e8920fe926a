/**
 * `muster metrics`: what a running host has counted. It is in that host's memory: without one there is nothing to tell.
 */
import { HostNotFound } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isGone, liveHosts } from "../hosts/LiveHosts.ts"
import type { MetricsJson } from "../json/MetricsJson.ts"
import { answer } from "../output/Answer.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { UsageError } from "../UsageError.ts"

const nobody = new UsageError({
  message: "No host of this store answers, and metrics are those of a running host.",
  hint: "muster status names the hosts"
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
