// One setting exports everything, and no collector can cost more than a moment of the end.
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer, Logger, Metric } from "effect"
import * as Observability from "../../src/observability/Observability.ts"
import * as Collected from "./Collected.ts"
import * as Collector from "./Collector.ts"

const words = Metric.counter("words", { description: "Said" })

/** Something of everything. */
const telling = Effect.gen(function* () {
  yield* Effect.log("hello")
  yield* Metric.update(words, 3)
}).pipe(Effect.withSpan("greet", { attributes: { "muster.job_id": "a-1" } }))

const environment = (variables: Readonly<Record<string, string>>) =>
  ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables))

const json = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }

/** What it says aloud is kept. */
const exported = (
  options: Observability.ObservabilityOptions,
  variables: Readonly<Record<string, string>> = json
) => {
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
  const layer = Observability.layer(options).pipe(Layer.provide([environment(variables), logger]))
  return {
    lines,
    run: Effect.provide(telling, layer.pipe(Layer.provideMerge(logger))).pipe(Collected.inOwnRegistry)
  }
}

const pathsOfAll = ["/v1/logs", "/v1/metrics", "/v1/traces"]

describe("the exporters", () => {
  it.live("send spans, metrics and logs to the collector that is named, before they end", () =>
    Effect.gen(function* () {
      const collector = yield* Collector.make()
      yield* exported({ otlp: `${collector.url}/`, serviceName: "greeter" }).run
      assert.sameMembers([...collector.paths()], pathsOfAll)
      const all = pathsOfAll.map((path) => JSON.stringify(collector.sent(path)[0]))
      for (const one of all) {
        assert.include(one, '{"key":"service.name","value":{"stringValue":"greeter"}}')
        assert.include(one, "service.instance.id")
      }
      assert.include(all[0], '"stringValue":"hello"')
      assert.include(all[1], '"name":"words"')
      assert.include(all[2], '"name":"greet"')
      assert.include(all[2], '{"key":"muster.job_id","value":{"stringValue":"a-1"}}')
    })
  )

  it.live("follow OpenTelemetry's variables where nobody says more, protobuf included", () =>
    Effect.gen(function* () {
      const collector = yield* Collector.make()
      const variables = {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base`,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc",
        OTEL_LOGS_EXPORTER: "none"
      }
      yield* exported({}, variables).run
      assert.sameMembers([...collector.paths()], ["/base/v1/metrics", "/base/v1/traces"])
      for (const headers of collector.headers()) {
        assert.strictEqual(headers["authorization"], "Bearer abc")
        assert.strictEqual(headers["content-type"], "application/x-protobuf")
      }
    })
  )

  it.live("send nothing where nobody names a collector, or the environment forbids it", () =>
    Effect.gen(function* () {
      const collector = yield* Collector.make()
      yield* exported({}, {}).run
      yield* exported({}, { OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }).run
      assert.deepStrictEqual(collector.paths(), [])
    })
  )

  it.live("are told of, once, and given up at the end, when the collector is down, broken or slow", () =>
    Effect.gen(function* () {
      const broken = yield* Collector.make((response) => void response.writeHead(500).end())
      const torn = yield* Collector.make((response) => void response.destroy())
      const slow = yield* Collector.make(() => undefined)
      const gone = yield* Effect.scoped(Effect.map(Collector.make(), ({ url }) => url))
      for (const [otlp, why, shutdown] of [
        [broken.url, "it answers 500", "1 minute"],
        [torn.url, "closed", "1 minute"],
        [gone, "ECONNREFUSED", "1 minute"],
        [slow.url, "the collector is slow", "300 millis"]
      ] as const) {
        const { lines, run } = exported({ otlp, shutdown })
        yield* run
        assert.strictEqual(
          lines.filter((line) => line.includes("nothing reaches the collector")).length,
          1,
          why
        )
        assert.include(lines.join("\n"), why)
      }
      // Nothing was tried again: that would keep the end waiting.
      for (const { paths } of [broken, torn, slow]) assert.sameMembers([...paths()], pathsOfAll)
    })
  )

  it.live("refuse what is no URL, and variables that can't be read", () =>
    Effect.gen(function* () {
      const refused = Effect.fnUntraced(function* (
        otlp: string | undefined,
        more: Readonly<Record<string, string>>
      ) {
        const options = otlp === undefined ? {} : { otlp }
        const exit = yield* Effect.exit(exported(options, { ...json, ...more }).run)
        return Exit.isFailure(exit) && Exit.hasFails(exit) ? String(exit.cause) : "accepted"
      })
      const here = "http://127.0.0.1:1"
      assert.include(yield* refused("collector:4318", {}), "ORCH_CONFIG_INVALID")
      assert.include(yield* refused("nonsense", {}), "expected the URL of a collector")
      assert.include(
        yield* refused(here, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }),
        "http/protobuf or http/json"
      )
      assert.include(
        yield* refused(here, { OTEL_METRIC_EXPORT_INTERVAL: "soon" }),
        "OTEL_METRIC_EXPORT_INTERVAL"
      )
      assert.include(
        yield* refused(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense" }),
        "OTEL_EXPORTER_OTLP_ENDPOINT"
      )
    })
  )
})
