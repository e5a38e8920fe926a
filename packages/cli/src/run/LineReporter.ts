/**
 * Tells a run to people where no terminal is: a plain line for each change of state, and the summary.
 */
import { Console, Effect } from "effect"
import type { Style } from "../output/Style.ts"
import type { Reporter } from "./News.ts"
import { summaryLines } from "./RunSummary.ts"
import { stateLine } from "./StateLine.ts"

export const make = (style: Style): Reporter => ({
  tell: (news) => {
    const lines = news.flatMap((one) => stateLine(one, style) ?? [])
    return lines.length === 0 ? Effect.void : Console.log(lines.join("\n"))
  },
  watch: () => Effect.void,
  stopping: Console.error("Stopping: no new work; what runs is handed back."),
  end: ({ next, summary }) => Console.log(summaryLines(summary, next, style).join("\n"))
})
