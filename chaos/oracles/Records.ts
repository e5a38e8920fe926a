/**
 * What the store says by itself: its audit, and the end of each job.
 */
import { auditStore, ErrorCatalogue, type Finding, Store } from "@muster/core"
import { Effect } from "effect"
import { chaosCodes } from "../ChaosCatalogue.ts"
import { isDone } from "../harness/History.ts"
import { called, type Oracle } from "./Evidence.ts"

export const auditIsClean: Oracle = {
  name: "muster audit finds nothing",
  judge: ({ store }) =>
    Effect.gen(function* () {
      const faults: Array<Finding> = []
      const audited = yield* auditStore({
        catalogue: yield* ErrorCatalogue.compile(chaosCodes),
        report: (finding) =>
          Effect.sync(() => {
            if (finding.severity === "fault") faults.push(finding)
          })
      })
      return [
        ...faults.map(({ detail, rule, subject }) => `audit: ${rule} of ${subject}: ${detail}`),
        ...audited.unjudged.map((what) => `audit: could not judge ${what}`)
      ]
    }).pipe(Effect.provideService(Store, store), Effect.orDie)
}

export const everyJobEnds: Oracle = {
  name: "every submitted job ends, as its work says",
  judge: (evidence) =>
    Effect.sync(() =>
      Array.from(evidence.submitted.values()).flatMap(({ expected, jobId }) => {
        const story = evidence.history.jobs.get(jobId)
        if (story === undefined) return [`${called(evidence, jobId)} is lost`]
        if (!isDone(story))
          return [
            `${called(evidence, jobId)} has not ended: ${story.state}, its agent ${story.agent ?? "none"}`
          ]
        if (expected.length === 0 || expected.includes(story.state)) return []
        const failed = story.events.findLast(({ event }) => event === "fail" || event === "cancel")
        const why = failed === undefined ? "" : `: ${failed.transitionReason} ${failed.errorCode ?? ""}`
        return [`${called(evidence, jobId)} ended ${story.state} and not ${expected.join(" or ")}${why}`]
      })
    )
}
