/**
 * An error code in sentences: what it means, what follows from it, and how often the store at hand has seen it.
 */
import { category, type Category, type ErrorCatalogue, orchErrors, type RecordRow } from "@muster/core"
import type { Advice, ExplainJson } from "../json/ExplainJson.ts"
import { policyWords } from "./Sentences.ts"

const blame: Readonly<Record<Category, string>> = {
  DQ: "the data is at fault",
  MATH: "a calculation is at fault",
  LEGAL: "a legal rule forbids it",
  CONTRACT: "what goes in or comes out breaks a contract",
  ORCH: "the runtime says so",
  EXT: "something outside is at fault"
}

/** How often a store has seen the code, among what was looked at. */
export interface Sightings {
  readonly letters: number
  readonly retries: number
  /** The numbers of some jobs whose letters carry it, the newest first. */
  readonly jobs: ReadonlyArray<number>
  /** There is more than was looked at. */
  readonly more: boolean
}

export const sightingsOf = (
  code: string,
  letters: ReadonlyArray<RecordRow>,
  retries: ReadonlyArray<RecordRow>,
  limit: number
): Sightings => {
  const mine = letters.filter((record) => record.kind === "letters" && record.row.failure_error_code === code)
  return {
    letters: mine.length,
    retries: retries.filter((record) => record.kind === "retries" && record.row.error_code === code).length,
    jobs: mine
      .flatMap(({ job }) => (job === null ? [] : [job]))
      .toReversed()
      .slice(0, 5),
    more: letters.length === limit || retries.length === limit
  }
}

const seen = ({ jobs, letters, more, retries }: Sightings): string => {
  const least = more ? "at least " : ""
  if (letters + retries === 0)
    return more ? "It was not found in the first pages of the store." : "This store has never seen it."
  const of = jobs.length === 0 ? "" : ` (of ${jobs.map((job) => `job ${job}`).join(", ")})`
  return `This store has ${least}${letters} dead letter${letters === 1 ? "" : "s"} with it${of}, and ${retries} attempt${retries === 1 ? "" : "s"} that ${retries === 1 ? "was" : "were"} tried again.`
}

const origin = (code: string): string => {
  const found = category(code)
  const raised = Object.hasOwn(orchErrors, code)
    ? "Muster raises it itself"
    : "an agent or a plugin raises it"
  return found === null ? `${raised}.` : `Its category is ${found}: ${blame[found]}; ${raised}.`
}

/** @param sightings null where there is no store to look into */
export const explainCode = (
  code: string,
  catalogue: ErrorCatalogue.Catalogue,
  sightings: Sightings | null
): ExplainJson => {
  const entry = catalogue.lookup(code)
  const { policy } = entry
  const [job] = sightings?.jobs ?? []
  const can: ReadonlyArray<Advice> = [
    ...(job === undefined
      ? []
      : [{ command: `muster explain ${job}`, effect: "explains a job that it ended" }]),
    { command: `muster policy ${code}`, effect: "shows its row of the catalogue" }
  ]
  return {
    subject: "code",
    id: code,
    state: null,
    why: [
      origin(code),
      policyWords(entry, code),
      ...(policy.retryable ? ["When the attempts are used up, the job is kept as a dead letter."] : []),
      policy.replayEligible
        ? "Its letters may be replayed."
        : "Its letters may be replayed only after `muster dlq allow`.",
      `A command that ends by it exits with ${policy.exitCode}.`,
      ...(sightings === null ? [] : [seen(sightings)])
    ],
    waits_for: [],
    next: policy.hint,
    can
  }
}
