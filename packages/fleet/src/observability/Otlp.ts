/**
 * Effect's exporters behind one setting, with OpenTelemetry's own variables beside it. Loaded by Observability.ts where something is exported.
 */
import { ConfigInvalid } from "@muster/core"
import { Cause, Config, ConfigProvider, Duration, Effect, Layer, Option, Random, Tracer } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Exporters from "effect/observability/Otlp"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as CollectorClient from "./CollectorClient.ts"
import type { ObservabilityOptions } from "./Observability.ts"

const signals = ["LOGS", "METRICS", "TRACES"] as const

/** How long the exit may wait for the collector. */
const shutdownDefault: Duration.Input = "1 second"

/** What is exported and where: Effect's exporters read it in OpenTelemetry's words. */
const settings = (
  url: string | undefined,
  shutdown: Duration.Input,
  given: ConfigProvider.ConfigProvider
) => {
  const base = url?.replace(/\/+$/, "")
  const said =
    base === undefined
      ? {}
      : Object.fromEntries(
          signals.map((signal) => [
            `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`,
            `${base}/v1/${signal.toLowerCase()}`
          ])
        )
  const unsaid = {
    ...Object.fromEntries(signals.map((signal) => [`OTEL_${signal}_EXPORTER`, "otlp"])),
    // In Effect's exporters it bounds their last words.
    OTEL_EXPORTER_OTLP_TIMEOUT: String(Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(shutdown))))
  }
  return ConfigProvider.fromEnvRecord(said).pipe(
    ConfigProvider.orElse(given),
    ConfigProvider.orElse(ConfigProvider.fromEnvRecord(unsaid))
  )
}

const text = (name: string) => Effect.map(Effect.option(Config.String(name)), Option.getOrUndefined)

/** Who exports, as far as the environment doesn't say. */
const resourceOf = Effect.fnUntraced(function* (serviceName: string) {
  const given = (yield* text("OTEL_RESOURCE_ATTRIBUTES")) ?? ""
  const says = (name: string) => given.split(",").some((one) => one.trim().startsWith(`${name}=`))
  const named = (yield* text("OTEL_SERVICE_NAME")) !== undefined || says("service.name")
  const instance = yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)
  return {
    ...(named ? {} : { serviceName }),
    // Two processes must not write the same series.
    attributes: says("service.instance.id") ? {} : { "service.instance.id": instance.toString(36) }
  }
})

const invalid = (path: string, detail: string) => new ConfigInvalid({ path, detail })

/** In one line. */
const said = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ").slice(0, 300)
}

const check = Effect.fnUntraced(function* (url: string | undefined) {
  if (url === undefined) return
  const parsed = yield* Effect.try({
    try: () => new URL(url),
    catch: () => invalid("otlp", `expected the URL of a collector, as in http://localhost:4318, not ${url}`)
  })
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:")
    return yield* invalid("otlp", `expected a URL of http or https, not ${url}`)
})

const serialization = Effect.gen(function* () {
  const protocol = (yield* text("OTEL_EXPORTER_OTLP_PROTOCOL")) ?? "http/protobuf"
  if (protocol === "http/protobuf") return OtlpSerialization.layerProtobuf
  if (protocol === "http/json") return OtlpSerialization.layerJson
  return yield* invalid("OTEL_EXPORTER_OTLP_PROTOCOL", `expected http/protobuf or http/json, not ${protocol}`)
})

export const make = Effect.fnUntraced(function* (options: ObservabilityOptions) {
  yield* check(options.otlp)
  const shutdown = options.shutdown ?? shutdownDefault
  const provider = settings(options.otlp, shutdown, yield* ConfigProvider.ConfigProvider)
  const configured = Layer.succeed(ConfigProvider.ConfigProvider, provider)
  const resource = yield* Effect.provideService(
    resourceOf(options.serviceName ?? "muster"),
    ConfigProvider.ConfigProvider,
    provider
  )
  const format = yield* Effect.provideService(serialization, ConfigProvider.ConfigProvider, provider)
  const collector = yield* Effect.provide(CollectorClient.make({ shutdown }), FetchHttpClient.layer)
  // Released first: the exporters then have their last words.
  const closing = Layer.effectDiscard(Effect.addFinalizer(() => collector.close))
  const exporters = Exporters.layerFromConfig({ resource, loggerMergeWithExisting: true }).pipe(
    Layer.provide([format, Layer.succeed(HttpClient.HttpClient, collector.client), configured])
  )
  return Layer.mergeAll(
    Layer.provideMerge(closing, exporters),
    // Each commit and each look at the store is a span of level Debug: a host makes hundreds a second.
    Layer.succeed(Tracer.MinimumTraceLevel, "Info")
  ).pipe(
    // What the exporters can't read of the variables is a defect of theirs.
    Layer.catchCause((cause) => Layer.effectDiscard(Effect.fail(invalid("OTEL_*", said(cause)))))
  )
})
