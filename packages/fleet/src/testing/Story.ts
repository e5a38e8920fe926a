/**
 * A failed run, in words: what is wrong, what was planned, and what happened.
 */
import type { JobPlan, Life, Plan } from "./Plan.ts"
import type { Simulated } from "./Simulation.ts"

/** What of a value is not as usual, `{a: 1, b: x}`. */
const unusual = (value: object, usual: Readonly<Record<string, unknown>>): string => {
  const parts = Object.entries(value).flatMap(([key, one]) =>
    one === usual[key] ? [] : [`${key} ${typeof one === "object" ? JSON.stringify(one) : String(one)}`]
  )
  return parts.length === 0 ? "as usual" : parts.join(", ")
}

const usualLife = {
  prepare: "well",
  sentinel: "well",
  gate: "well",
  land: "well",
  found: "truth",
  archive: "well",
  remove: "well",
  resistMillis: 0,
  cleanUpMillis: 0
}
const usualJob = { priority: 0, delayMillis: 0, misfit: false, byOperator: false }

const lifeLine = (life: Life, index: number): string =>
  `           life ${index + 1}: ${unusual(life, usualLife)}`

const jobLines = ({ lives, n, ...job }: JobPlan): ReadonlyArray<string> => [
  `  job ${n}: ${unusual(job, usualJob)}`,
  ...lives.map(lifeLine)
]

/** The plan, line by line. */
const planLines = ({
  acts,
  calmAt,
  host,
  jobs,
  repeated,
  trouble,
  workflows
}: Plan): ReadonlyArray<string> => [
  ...workflows.map((workflow) => `  workflow: ${unusual(workflow, {})}`),
  `  host: ${unusual(host, { drainMillis: 0, partly: false })}`,
  `  store: ${unusual(trouble, { latencyMillis: 0, busy: 0, brokenBefore: 0, brokenAfter: 0 })}`,
  ...(repeated === 0 ? [] : [`  signals come twice: ${repeated}`]),
  ...jobs.flatMap(jobLines),
  ...acts.map(({ _tag, at, ...act }) => `  ${String(at).padStart(6)} ${_tag} ${unusual(act, {})}`),
  `  ${String(calmAt).padStart(6)} calm`
]

/** What a run that failed has to say; `command` runs it again. */
export const tell = ({ plan, trace, violations }: Simulated, command: string): string =>
  [
    `seed ${plan.seed} fails:`,
    ...violations.map(
      ({ at, detail, oracle, sentence }) => `  ${oracle} (${sentence})\n    at ${at} ms: ${detail}`
    ),
    "",
    "the plan:",
    ...planLines(plan),
    "",
    "what happened (milliseconds, who, what):",
    ...trace,
    "",
    `again: ${command}`
  ].join("\n")
