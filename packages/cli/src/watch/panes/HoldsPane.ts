/**
 * What holds work back: pauses and drains, storm breakers, a store in trouble, incarnations that won't end, and jobs that wait for an answer.
 */
import { span, type Tone } from "../Cells.ts"
import { age } from "../Figures.ts"
import { type FleetLook, shortId } from "../FleetLook.ts"
import { pane } from "./Pane.ts"

export interface Hold {
  readonly id: string
  readonly kind: "paused" | "draining" | "storm" | "store" | "hung" | "asks"
  /** Whom it holds. */
  readonly what: string
  /** Epoch ms; null: nobody knows. */
  readonly since: number | null
  readonly text: string
  readonly jobId: string | null
}

const where = (host: number | null): string => (host === null ? "all hosts" : `host ${host}`)

/** All of them, the weightiest first. */
export const holdsOf = (look: FleetLook, now: number): ReadonlyArray<Hold> => {
  const troubles = look.hosts.flatMap(({ host, trouble }): ReadonlyArray<Hold> =>
    trouble === null
      ? []
      : [
          {
            id: `store/${host}`,
            kind: "store",
            what: where(host),
            since: trouble.since,
            text: `the store doesn't answer: ${trouble.detail}`,
            jobId: null
          }
        ]
  )
  const wishes = look.wishes.map(({ actor, host, kind, reason, since }, index): Hold => ({
    id: `${kind}/${index}`,
    kind: kind === "pause" ? "paused" : "draining",
    what: where(host),
    since,
    text: `by ${actor}${reason === "" ? "" : `: ${reason}`}`,
    jobId: null
  }))
  const storms = look.breakers.map(({ failures, openedAt, probeAt, state, workflow }): Hold => {
    const probe =
      state === "half_open"
        ? "a probe is at work"
        : probeAt <= now
          ? "a probe is due"
          : `a probe in ${age(probeAt - now)}`
    return {
      id: `storm/${workflow}`,
      kind: "storm",
      what: workflow,
      since: openedAt,
      text: `${failures} failures; ${probe}`,
      jobId: null
    }
  })
  const hung = look.hosts.flatMap(({ host, hung: count }): ReadonlyArray<Hold> =>
    count === 0
      ? []
      : [
          {
            id: `hung/${host}`,
            kind: "hung",
            what: where(host),
            since: null,
            text: `${count} given up and alive still`,
            jobId: null
          }
        ]
  )
  const parked = look.parked.map(({ jobId, markers, since, workflow }): Hold => ({
    id: `asks/${jobId}`,
    kind: "asks",
    what: `${shortId(jobId)} ${workflow}`,
    since,
    text: `was ${markers.slice(0, 3).join(", ")} done? muster settle ${shortId(jobId)}`,
    jobId
  }))
  return [...troubles, ...wishes, ...storms, ...hung, ...parked]
}

const tones: Readonly<Record<Hold["kind"], Tone>> = {
  store: "bad",
  paused: "waiting",
  draining: "waiting",
  storm: "bad",
  hung: "bad",
  asks: "waiting"
}

export const holdsPane = pane<Hold>({
  name: "holds",
  title: "holds",
  count: (look) => String(holdsOf(look, look.at).length),
  nothing: ({ filter }) =>
    filter === "" ? "nothing holds work back" : `nothing that holds work back matches "${filter}"`,
  rows: ({ now }, look) => holdsOf(look, now),
  id: ({ id }) => id,
  jobId: ({ jobId }) => jobId,
  words: ({ kind, text, what }) => [kind, what, text],
  columns: ({ now }) => [
    { title: "what", least: 8, of: ({ kind }) => span(kind, tones[kind]) },
    { title: "of", least: 8, most: 24, of: ({ what }) => span(what, "title") },
    {
      title: "for",
      least: 5,
      align: "right",
      of: ({ since }) => span(since === null ? "" : age(now - since), "faint")
    },
    { title: "why", least: 1, isRest: true, of: ({ text }) => span(text) }
  ]
})
