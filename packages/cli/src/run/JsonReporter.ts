/**
 * Tells a run to programs: one JSON document a line (RunJson.ts) and nothing else on standard output.
 */
import { Console, Effect } from "effect"
import type { Reporter } from "./News.ts"
import { newsJson } from "./RunJson.ts"

export const make = (): Reporter => ({
  tell: (news) => Console.log(news.map((one) => JSON.stringify(newsJson(one))).join("\n")),
  watch: () => Effect.void,
  stopping: Effect.void,
  end: ({ summary }) => Console.log(JSON.stringify(summary))
})
