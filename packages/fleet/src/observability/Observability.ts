/**
 * What a fleet counts, traces and logs, sent to an OpenTelemetry collector (OTLP over HTTP) by one setting. Hosts that have exporters of their
 * own provide those instead: the fleet uses Effect's Metric, Tracer and Logger, whoever listens.
 */
import type { ConfigInvalid } from "@muster/core"
import { Config, type Duration, Effect, Layer, Option } from "effect"

export { attributes, metrics, type Attribute, type MetricDeclaration } from "./MetricNames.ts"

export interface ObservabilityOptions {
  /**
   * The base URL of the collector, as in `http://localhost:4318`: `/v1/traces` and so on are added. Left out: OpenTelemetry's own variables
   * say it (OTEL_EXPORTER_OTLP_ENDPOINT …), and without them nothing is exported. Its other variables hold in any case.
   */
  readonly otlp?: string
  /** Where OTEL_SERVICE_NAME doesn't say it. Default `muster`. */
  readonly serviceName?: string
  /** How long the end may wait for a collector that doesn't answer. Default 1 second. */
  readonly shutdown?: Duration.Input
}

const variables = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
  "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"
] as const

/** The variable of the environment that names a collector; null: none does, or OTEL_SDK_DISABLED says that nothing is to be exported. */
export const fromEnvironment: Effect.Effect<string | null> = Effect.gen(function* () {
  const disabled = yield* Effect.option(Config.Boolean("OTEL_SDK_DISABLED"))
  if (Option.getOrElse(disabled, () => false)) return null
  for (const name of variables) {
    const said = yield* Effect.option(Config.String(name))
    if (Option.isSome(said) && said.value.trim() !== "") return name
  }
  return null
})

/**
 * Exports for whoever it is provided to: provide it last, around the fleet. The exporters are loaded here and not before. Fails with
 * ORCH_CONFIG_INVALID for what is no URL, and for variables that can't be read.
 */
export const layer = (options: ObservabilityOptions = {}): Layer.Layer<never, ConfigInvalid> =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (options.otlp === undefined && (yield* fromEnvironment) === null) return Layer.empty
      const { make } = yield* Effect.promise(() => import("./Otlp.ts"))
      return yield* make(options)
    })
  )
