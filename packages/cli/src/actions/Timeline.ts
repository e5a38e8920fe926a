/**
 * `muster timeline`: the life of one job as a picture.
 */
import * as Effect from "effect/Effect"
import { timelineJson } from "../json/TimelineJson.ts"
import { answer, type Page } from "../output/Answer.ts"
import { brief } from "../output/Duration.ts"
import { paintState } from "../output/Style.ts"
import { oneLine } from "../output/Text.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { read, type Story, storyEvents } from "../store/Story.ts"
import { picture } from "../timeline/Picture.ts"
import { isQuiet, type Stretch, stretchesOf } from "../timeline/Stretches.ts"

const lines = (
  { events, job }: Story,
  stretches: ReadonlyArray<Stretch>,
  complete: boolean,
  page: Page
): ReadonlyArray<string> => {
  const last = events.at(-1)?.occurredAt ?? page.now
  const end = isQuiet(job) ? last : Math.max(page.now, last)
  const took = brief(end - (stretches[0]?.from ?? end))
  const span = isQuiet(job) ? `${took} from its submission to its end` : `${took} so far`
  const head = `${page.style.title(job.jobId)}  ${oneLine(job.workflowType)}  ${paintState(page.style, job.state)}  ${span}`
  return [
    head,
    "",
    ...picture(stretches, end, page),
    ...(complete ? [] : ["", page.style.faint(`Only the newest ${storyEvents} events are drawn.`)])
  ]
}

const tell = Effect.fnUntraced(function* (id: string) {
  const story = yield* read(id)
  const complete = story.events.length < storyEvents
  const stretches = stretchesOf(story.events)
  yield* answer(timelineJson(story.job, stretches, complete), (page) =>
    lines(story, stretches, complete, page)
  )
})

export const timeline = ({ job }: { readonly job: string }) =>
  Effect.provide(tell(job), StoreFile.layer("read"))
