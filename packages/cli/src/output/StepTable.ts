/**
 * The steps of a job as lines for people: what its agents did once. The runtime's own markers are left out.
 */
import { isSeenIn, type MarkerRow } from "@muster/core"
import { relative } from "./Duration.ts"
import type { Column } from "./Table.ts"
import { oneLine } from "./Text.ts"

/** Those that an agent gave a name, of every attempt. */
export const stepsOf = (markers: ReadonlyArray<MarkerRow>): ReadonlyArray<MarkerRow> =>
  markers.filter(({ name }) => isSeenIn(name, Number(name.split("@").at(-1))))

export const stepColumns = (now: number): ReadonlyArray<Column<MarkerRow>> => [
  { title: "step", value: ({ name }) => oneLine(name), shrinkTo: 8 },
  {
    title: "state",
    value: ({ state }) => state,
    paint: (style, { state }, text) => (state === "finished" ? style.good(text) : style.waiting(text))
  },
  { title: "life", align: "right", value: ({ incarnation }) => String(incarnation) },
  { title: "since", align: "right", value: ({ at }) => relative(at, now) },
  { title: "result", value: ({ result }) => oneLine(result ?? ""), shrinkTo: 10 }
]
