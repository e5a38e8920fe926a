/**
 * `pnpm chaos [NAME…] [--kills N] [--seed S] [--json] [--keep] [--list]`: plays scenarios against real hosts and prints what came of each. Ends with 1 when
 * a promise was broken.
 */
import { parseArgs } from "node:util"
import { Effect, Fiber } from "effect"
import { play } from "./harness/Performance.ts"
import { details, heading, row } from "./Report.ts"
import type { Outcome } from "./Scenario.ts"
import { scenarios } from "./scenarios/Scenarios.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: "string", default: "320" },
    seed: { type: "string", default: "1" },
    lanes: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    list: { type: "boolean", default: false }
  }
})

const unknown = positionals.filter((name) => !scenarios.some((scenario) => scenario.name === name))
if (unknown.length > 0 || values.list) {
  for (const { name, promise } of scenarios) console.log(`${name.padEnd(24)}  ${promise}`)
  if (unknown.length > 0) console.error(`no such scenario: ${unknown.join(", ")}`)
  process.exit(unknown.length > 0 ? 2 : 0)
}
const chosen = scenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const total = Number(values.kills)
const shares = chosen.reduce((sum, { share }) => sum + share, 0)

if (!values.json) console.log(heading)

const played = Effect.forEach(
  chosen,
  (scenario) =>
    play(
      scenario,
      {
        kills: shares === 0 ? 0 : Math.ceil((total * scenario.share) / shares),
        seed: Number(values.seed)
      },
      { keep: values.keep }
    ).pipe(
      Effect.tap((outcome) =>
        Effect.sync(() => {
          if (values.json) console.log(JSON.stringify(outcome))
          else for (const line of [row(outcome), ...details(outcome)]) console.log(line)
        })
      )
    ),
  { concurrency: Number(values.lanes) }
)

const fiber = Effect.runFork(played)
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => Effect.runFork(Fiber.interrupt(fiber)))
const outcomes: ReadonlyArray<Outcome> = await Effect.runPromise(Fiber.join(fiber))

const kills = outcomes.reduce((sum, outcome) => sum + outcome.kills, 0)
const jobs = outcomes.reduce((sum, outcome) => sum + outcome.jobs, 0)
const broken = outcomes.filter(({ verdict }) => verdict._tag === "Broken").length
if (!values.json)
  console.log(
    `\n${outcomes.length} scenarios, ${kills} kills, ${jobs} jobs, ${broken} broken (seed ${values.seed})`
  )
process.exitCode = broken > 0 ? 1 : 0
