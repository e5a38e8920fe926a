/**
 * `muster config check`: everything that is wrong with the configuration, or that nothing is.
 */
import { ConfigInvalid, ErrorCatalogue } from "@muster/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { millisOf } from "../config/ConfigSchema.ts"
import { type Configured, inspected } from "../config/Configured.ts"
import { loaded } from "../config/Modules.ts"
import { type Problem, problemText } from "../config/Problems.ts"
import { Ended } from "../Ended.ts"
import { JsonFlag } from "../GlobalFlags.ts"
import type { ConfigCheckJson } from "../json/ConfigJson.ts"
import { answer } from "../output/Answer.ts"
import { oneLine } from "../output/Text.ts"
import { UsageError } from "../UsageError.ts"

/** What only the start of a fleet would find. */
const atStart = Effect.fnUntraced(function* ({ configuration }: Configured) {
  const { codes, config } = configuration
  const compiled = yield* Effect.result(ErrorCatalogue.compile(codes))
  const refused: ReadonlyArray<Problem> = Result.isSuccess(compiled)
    ? []
    : [
        compiled.failure._tag === "ORCH_CONFIG_INVALID"
          ? { path: compiled.failure.path, detail: compiled.failure.detail }
          : { path: "codes", detail: compiled.failure.message }
      ]
  const modules = yield* Effect.forEach(configuration.workflows, (one) =>
    Effect.match(loaded(one), {
      onFailure: (problems) => problems,
      onSuccess: (): ReadonlyArray<Problem> => []
    })
  )
  const found = [...refused, ...modules.flat()]
  const { lease } = config
  if (lease === undefined || 2 * millisOf(lease.renewal) <= millisOf(lease.lease)) return found
  const detail = `expected at most half of lease.lease, got ${JSON.stringify(lease.renewal)}`
  return [...found, { path: "lease.renewal", detail }]
})

export const configCheck = Effect.gen(function* () {
  const found = yield* inspected
  if (found === null) {
    return yield* new UsageError({
      message: "There is no configuration here or in a folder above.",
      hint: "muster init writes one; --config FILE names one."
    })
  }
  const { name } = Result.merge(found)
  const problems = Result.isSuccess(found) ? yield* atStart(found.success) : found.failure.problems
  const document: ConfigCheckJson = { file: name, valid: problems.length === 0, problems }
  if (problems.length === 0) {
    const names = Result.isSuccess(found) ? found.success.configuration.workflows.map((one) => one.name) : []
    const said = names.length === 0 ? "no workflows yet" : `workflows ${names.join(", ")}`
    return yield* answer(document, () => [oneLine(`${name} is valid: ${said}`)])
  }
  if (yield* JsonFlag) yield* answer(document, () => [])
  else {
    const lines = problems.map((problem) => oneLine(`${name}: ${problemText(problem)}`))
    const count = `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`
    yield* Console.error(
      [...lines, `muster: ORCH_CONFIG_INVALID: ${count}; nothing of it is used.`].join("\n")
    )
  }
  const { policy } = (yield* Effect.orDie(ErrorCatalogue.compile())).lookup(
    new ConfigInvalid({ path: name, detail: "" })._tag
  )
  return yield* new Ended({ exitCode: policy.exitCode })
})
