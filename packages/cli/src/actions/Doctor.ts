/**
 * `muster doctor`: everything around a fleet that may be wrong, what to do about it, and with `--fix` what can be mended without harm.
 */
import { exit } from "@muster/core"
import * as Effect from "effect/Effect"
import { type Diagnosis, type Verdict } from "../doctor/Diagnosis.ts"
import { examine, type ExaminationOptions } from "../doctor/Examination.ts"
import { Ended } from "../Ended.ts"
import { type DoctorJson, isHealthy } from "../json/DoctorJson.ts"
import { answer, type Page } from "../output/Answer.ts"
import type { Style } from "../output/Style.ts"
import { oneLine, wrap } from "../output/Text.ts"

const paints: Readonly<Record<Verdict, keyof Style>> = {
  ok: "good",
  warn: "waiting",
  bad: "bad",
  fixed: "busy"
}

const checkWidth = 13
const verdictWidth = 5

/** `bad    hosts          host 1 is gone …`, and what to do below it. */
const linesOf = ({ advice, check, found, verdict }: Diagnosis, page: Page): ReadonlyArray<string> => {
  const margin = " ".repeat(verdictWidth + checkWidth + 4)
  const room = Math.max(20, page.width - margin.length)
  const head = `${page.style[paints[verdict]](verdict.padEnd(verdictWidth))}  ${check.padEnd(checkWidth)}  `
  const told = wrap(oneLine(found), room).map((line, index) => (index === 0 ? head : margin) + line)
  const advised = advice === null ? [] : wrap(oneLine(advice), room)
  return [...told, ...advised.map((line) => margin + page.style.faint(line))]
}

const summary = (diagnoses: ReadonlyArray<Diagnosis>, page: Page): string => {
  const count = (wanted: Verdict) => diagnoses.filter(({ verdict }) => verdict === wanted).length
  const parts = [
    [count("bad"), "bad", page.style.bad] as const,
    [count("warn"), "to be known", page.style.waiting] as const,
    [count("fixed"), "fixed", page.style.busy] as const
  ].filter(([found]) => found > 0)
  const said = parts.map(([found, word, paint]) => paint(`${found} ${word}`)).join(", ")
  return said === "" ? page.style.good("All is well.") : said
}

export const doctor = Effect.fnUntraced(function* (options: ExaminationOptions) {
  const { diagnoses, file } = yield* examine(options)
  const healthy = isHealthy(diagnoses)
  const document: DoctorJson = { healthy, store: file, fix: options.fix, diagnoses }
  yield* answer(document, (page) => [
    ...diagnoses.flatMap((diagnosis) => linesOf(diagnosis, page)),
    "",
    summary(diagnoses, page)
  ])
  return yield* healthy ? Effect.void : Effect.fail(new Ended({ exitCode: exit.findings }))
})
