/**
 * A chain of replays for people: one job a line, the oldest first, the one that is looked at marked.
 */
import { isoInstant, type Job } from "@muster/core"
import type { Page } from "./Answer.ts"
import { paintState } from "./Style.ts"
import { type Column, table } from "./Table.ts"

const columns = (at: Job): ReadonlyArray<Column<Job>> => [
  { title: "", value: ({ seq }) => (seq === at.seq ? ">" : "") },
  { title: "job", value: ({ jobId }) => jobId },
  {
    title: "state",
    value: ({ state }) => state,
    paint: (style, { state }, text) => paintState(style, state, text)
  },
  { title: "last code", value: ({ lastErrorCode }) => lastErrorCode ?? "", shrinkTo: 12 },
  { title: "created", value: ({ createdAt }) => isoInstant(createdAt) }
]

/** Nothing for a job that nobody has replayed and that replays none. */
export const chainLines = (at: Job, chain: ReadonlyArray<Job>, page: Page): ReadonlyArray<string> =>
  chain.length < 2 ? [] : table(columns(at), chain, page)
