/**
 * What a configuration must look like. Each leaf says in words what is expected of it; what was found instead is said by who reports.
 */
import { driftModes, type FacetDeclaration, limits, type Plugin } from "@muster/core"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { parseMillis } from "../run/DurationText.ts"
import type { Time } from "./FleetConfig.ts"

const leaf = <A>(expected: string, is: (value: unknown) => value is A) => Schema.declare(is, { expected })

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

const isTime = (value: unknown): value is Time =>
  typeof value === "number"
    ? Number.isFinite(value) && value >= 0
    : isText(value) && parseMillis(value) !== undefined

/** A time in milliseconds; one that the schema let through always has them. */
export const millisOf = (time: Time): number => (typeof time === "number" ? time : (parseMillis(time) ?? 0))

const time = leaf('a length of time, as in "30s", "5m" or milliseconds', isTime)
const longTime = leaf(
  'a length of time above 0, as in "30s", "5m" or milliseconds',
  (value): value is Time => isTime(value) && millisOf(value) > 0
)
const whole = (from: number, to = Number.MAX_SAFE_INTEGER) =>
  leaf(
    to === Number.MAX_SAFE_INTEGER ? `an integer of at least ${from}` : `an integer from ${from} to ${to}`,
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to
  )
const text = leaf("a text that is not empty", isText)
const yesOrNo = leaf("true or false", (value): value is boolean => typeof value === "boolean")
const oneOf = <const Words extends ReadonlyArray<string>>(...words: Words) =>
  leaf(
    words.map((word) => `"${word}"`).join(" or "),
    (value): value is Words[number] => typeof value === "string" && words.includes(value)
  )
const command = leaf(
  'a program and its arguments as a list of texts, as in ["node", "agent.mjs"]',
  (value): value is ReadonlyArray<string> =>
    Array.isArray(value) && isText(value[0]) && value.every((word) => typeof word === "string")
)
const env = leaf(
  "an object of texts",
  (value): value is Readonly<Record<string, string>> =>
    Predicate.isObject(value) && Object.values(value).every((one) => typeof one === "string")
)

/** A name, or the plugin's part itself, told by what it can do. */
const named = (expected: string, ...members: ReadonlyArray<string>) =>
  leaf(
    expected,
    (value): value is string | object =>
      isText(value) ||
      (Predicate.isObject(value) && "name" in value && members.every((member) => member in value))
  )

const policies = {
  workspace: Schema.optionalKey(named("the name of a workspace", "prepare", "remove")),
  gates: Schema.optionalKey(Schema.Array(named("the name of a gate", "check"))),
  lander: Schema.optionalKey(named("the name of a lander", "land", "check")),
  maxRetries: Schema.optionalKey(whole(0, limits.maxRetries)),
  silence: Schema.optionalKey(longTime),
  silenceCap: Schema.optionalKey(longTime),
  progressWindow: Schema.optionalKey(longTime),
  inputLimit: Schema.optionalKey(longTime),
  unknownOutcome: Schema.optionalKey(oneOf("ask", "rerun", "fail")),
  deadlines: Schema.optionalKey(
    Schema.Struct({
      prepare: Schema.optionalKey(longTime),
      sentinel: Schema.optionalKey(longTime),
      work: Schema.optionalKey(longTime),
      verify: Schema.optionalKey(longTime),
      land: Schema.optionalKey(longTime),
      clean: Schema.optionalKey(longTime)
    })
  ),
  breaker: Schema.optionalKey(
    Schema.Struct({
      failures: Schema.optionalKey(whole(1)),
      attempts: Schema.optionalKey(whole(1)),
      window: Schema.optionalKey(longTime),
      probe: Schema.optionalKey(longTime)
    })
  ),
  restarts: Schema.optionalKey(
    Schema.Struct({ restarts: Schema.optionalKey(whole(0)), window: Schema.optionalKey(longTime) })
  )
}

const PolicyConfig = Schema.Struct(policies)

export const ProcessWorkflow = Schema.Struct({
  command,
  stdin: Schema.optionalKey(oneOf("payload", "lines")),
  requireResult: Schema.optionalKey(yesOrNo),
  cwd: Schema.optionalKey(text),
  env: Schema.optionalKey(env),
  stopGrace: Schema.optionalKey(time),
  ...policies
})

export const FunctionWorkflow = Schema.Struct({
  run: leaf("a function", (value): value is object => typeof value === "function"),
  ...policies
})

export const CommandGateConfig = Schema.Struct({
  command,
  timeout: Schema.optionalKey(longTime),
  cwd: Schema.optionalKey(text),
  env: Schema.optionalKey(env)
})

const object = leaf("an object", (value): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value)
)

/** The names of workflows and gates, and codes: what stands under each is looked at by its kind. */
export const FleetConfig = Schema.Struct({
  store: Schema.optionalKey(
    leaf(
      "the path of a file, not a database in memory",
      (value): value is string => isText(value) && !/^(:memory:|file:)/.test(value)
    )
  ),
  slots: Schema.optionalKey(whole(1, 10_000)),
  drain: Schema.optionalKey(time),
  stop: Schema.optionalKey(longTime),
  lease: Schema.optionalKey(Schema.Struct({ lease: longTime, renewal: longTime })),
  retention: Schema.optionalKey(
    Schema.Struct({
      finished: Schema.optionalKey(time),
      jobs: Schema.optionalKey(whole(0)),
      bytes: Schema.optionalKey(whole(0)),
      logAge: Schema.optionalKey(time),
      logBytes: Schema.optionalKey(whole(0))
    })
  ),
  floors: Schema.optionalKey(
    Schema.Struct({ disk: Schema.optionalKey(whole(0)), memory: Schema.optionalKey(whole(0)) })
  ),
  logs: Schema.optionalKey(yesOrNo),
  drift: Schema.optionalKey(oneOf(...driftModes)),
  reflects: Schema.optionalKey(yesOrNo),
  documents: Schema.optionalKey(text),
  declares: Schema.optionalKey(
    Schema.Array(
      leaf(
        "the declaration of a facet with key, genre, status and policy",
        (value): value is FacetDeclaration =>
          Predicate.isObject(value) &&
          isText(value["key"]) &&
          isText(value["genre"]) &&
          isText(value["status"]) &&
          Predicate.isObject(value["policy"])
      )
    )
  ),
  otlp: Schema.optionalKey(
    leaf(
      'the URL of a collector, as in "http://localhost:4318"',
      (value): value is string => isText(value) && /^https?:\/\/[^/]/.test(value)
    )
  ),
  workspaces: Schema.optionalKey(
    Schema.Struct({
      root: Schema.optionalKey(text),
      keep: Schema.optionalKey(oneOf("always", "failed", "never"))
    })
  ),
  workflows: Schema.optionalKey(object),
  defaults: Schema.optionalKey(PolicyConfig),
  gates: Schema.optionalKey(object),
  codes: Schema.optionalKey(object),
  plugins: Schema.optionalKey(
    Schema.Array(
      leaf(
        "a plugin with name, version and make",
        (value): value is Plugin.Plugin =>
          Predicate.isObject(value) && isText(value["name"]) && isText(value["version"]) && "make" in value
      )
    )
  )
})

export const isWorkflowName = (name: string): boolean =>
  name !== "" && name.trim() === name && name.length <= limits.workflowTypeLength
