/**
 * Where a host exports what it counts, traces and logs: what `--otlp` says, else OpenTelemetry's own variables, else the configuration; by
 * default nowhere.
 */
import { Observability } from "@muster/fleet"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { configured } from "../config/Configured.ts"
import { byDefault, type Origin } from "../config/Settings.ts"

export interface OtlpSetting {
  /** The base URL of the collector; null: nothing is exported. */
  readonly value: string | null
  readonly from: Origin
}

export const otlpSetting = Effect.fnUntraced(function* (flag: string | undefined) {
  if (flag !== undefined) {
    const said: OtlpSetting = { value: flag, from: { kind: "flag", name: "--otlp" } }
    return said
  }
  const name = yield* Observability.fromEnvironment
  if (name !== null) {
    const value = yield* Effect.orElseSucceed(Config.String(name), () => null)
    const said: OtlpSetting = { value, from: { kind: "environment", name } }
    return said
  }
  const found = yield* configured
  const value = found?.configuration.config.otlp
  const said: OtlpSetting =
    found === null || value === undefined
      ? { value: null, from: byDefault }
      : { value, from: { kind: "file", name: found.name } }
  return said
})

/** Variables may be meant for other programs: what can't be used of them is told, and stops no run. */
const byEnvironment = Observability.layer().pipe(
  Layer.catch((error) =>
    Layer.effectDiscard(Effect.logWarning(`nothing is exported: ${error.path}: ${error.detail}`))
  )
)

/** The exporters, around everything that is to be heard of. */
export const exporting = ({ from, value }: OtlpSetting) =>
  value === null
    ? Layer.empty
    : from.kind === "environment"
      ? byEnvironment
      : Observability.layer({ otlp: value })
