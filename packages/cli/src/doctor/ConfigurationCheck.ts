/**
 * The configuration of the folder at hand: whether there is one, and what is wrong with it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { inspected } from "../config/Configured.ts"
import { problemText } from "../config/Problems.ts"
import { type Diagnosis, of } from "./Diagnosis.ts"

const { bad, ok } = of("configuration")

/** What was found of it, and it itself where it can be used. */
export const checkConfiguration = Effect.gen(function* () {
  const found = yield* inspected
  if (found === null) return { configured: null, usable: true, diagnoses: [ok("none: the defaults hold")] }
  if (Result.isSuccess(found)) {
    const { name } = found.success
    return { configured: found.success, usable: true, diagnoses: [ok(`${name} can be used`)] }
  }
  const { name, problems } = found.failure
  const diagnoses = problems.map((problem): Diagnosis =>
    bad(`${name}: ${problemText(problem)}`, "muster config check names all that is wrong")
  )
  return { configured: null, usable: false, diagnoses }
})
