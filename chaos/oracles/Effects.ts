/**
 * What happened in the world: lives and landings, as agents and landers wrote them down, against what the store tells of them.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { JobStory } from "../harness/History.ts"
import * as Ledger from "../host/Ledger.ts"
import { archived } from "../host/PointedPlugins.ts"
import { called, type Evidence, type Oracle } from "./Evidence.ts"

const hasWorkspace = ({ workflows }: Evidence, jobId: string): boolean => workflows.get(jobId) !== "bare"

const count = (texts: ReadonlyArray<string | undefined>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

export const landsOnce: Oracle = {
  name: "a completed job has landed once, and no other has",
  judge: (evidence) =>
    Effect.sync(() => {
      const landings = count(Ledger.lines(evidence.folder, "landed").map(([, jobId]) => jobId))
      return Array.from(evidence.history.jobs.values()).flatMap(({ events, jobId, state }) => {
        const found = landings.get(jobId) ?? 0
        const isUnknown = events.some(({ errorCode }) => errorCode === "ORCH_LANDING_UNKNOWN")
        const allowed =
          state === "COMPLETED" ? (hasWorkspace(evidence, jobId) ? [1] : [0]) : isUnknown ? [0, 1] : [0]
        return allowed.includes(found)
          ? []
          : [`${called(evidence, jobId)} is ${state} and has landed ${found} times`]
      })
    })
}

export const writesOnce: Oracle = {
  name: "a step that may be done once is done once by a completed job, and never twice",
  judge: (evidence) =>
    Effect.sync(() => {
      const written = count(Ledger.lines(evidence.folder, "effects").map(([, jobId]) => jobId))
      return Array.from(evidence.submitted.values())
        .filter(({ wanted }) => wanted.behaviour === "writes")
        .flatMap(({ jobId }) => {
          const found = written.get(jobId) ?? 0
          const state = evidence.history.jobs.get(jobId)?.state
          const isRight = found === 1 || (found === 0 && state !== "COMPLETED")
          return isRight ? [] : [`${called(evidence, jobId)} is ${state} and has written ${found} times`]
        })
    })
}

/** The life in which the job completed; infinite where it did not. */
const lastLife = ({ events }: JobStory): number =>
  events.find(({ event, subjectKind }) => subjectKind === "agent" && event === "land")?.incarnation ??
  Number.POSITIVE_INFINITY

export const livesAreTold: Oracle = {
  name: "each life begins once, is told of, and none begins after the completion",
  judge: (evidence) =>
    Effect.sync(() => {
      const lives = Ledger.lines(evidence.folder, "work").filter(([what]) => what === "start")
      const twice = Array.from(count(lives.map(([, jobId, life]) => `${jobId} ${life}`)))
        .filter(([, begun]) => begun > 1)
        .map(([life, begun]) => {
          const [jobId = "", number] = life.split(" ")
          return `${called(evidence, jobId)} began its life ${number} ${begun} times`
        })
      const others = lives.flatMap(([, jobId = "", life]) => {
        const story = evidence.history.jobs.get(jobId)
        if (story === undefined) return [`a life of ${jobId} began, which is no job`]
        if (Number(life) > lastLife(story))
          return [`${called(evidence, jobId)} began life ${life} after it had landed`]
        const told = story.events.some(
          ({ event, incarnation }) =>
            incarnation === Number(life) && (event === "dispatch" || event === "recover")
        )
        return told ? [] : [`${called(evidence, jobId)} began life ${life}, of which no event tells`]
      })
      return [...twice, ...others]
    })
}

const turnedDown = new Set(["gate_rejected", "landing_rejected", "plugin_broken"])

export const finishedWorkStays: Oracle = {
  name: "work whose result is durable is not done again, unless it was turned down",
  judge: (evidence) =>
    Effect.gen(function* () {
      const { folder, history, store } = evidence
      const markers = yield* store.records({ kind: "markers", job: null, after: 0, limit: 1e6 })
      const finished = new Map(
        markers
          .filter(({ row }) => row.name === "commit" && row.state === "finished")
          .map(({ job, row }) => [job, row.incarnation])
      )
      return Ledger.lines(folder, "work").flatMap(([what, jobId = "", life]) => {
        const durable = finished.get(Number(jobId.slice(jobId.lastIndexOf("-") + 1)))
        if (what !== "start" || durable === undefined || Number(life) <= durable) return []
        const isAllowed = history.jobs
          .get(jobId)
          ?.events.some(({ transitionReason }) => turnedDown.has(transitionReason))
        return isAllowed === true
          ? []
          : [`${called(evidence, jobId)} had its result in life ${durable} and worked again in life ${life}`]
      })
    }).pipe(Effect.orDie)
}

export const budgetsAreKept: Oracle = {
  name: "no job is tried more often than its budget allows",
  judge: (evidence) =>
    Effect.gen(function* () {
      const { folder, store } = evidence
      const attempts = new Map<string, number>()
      for (const [what, jobId = "", , attempt] of Ledger.lines(folder, "work"))
        if (what === "start") attempts.set(jobId, Math.max(attempts.get(jobId) ?? 0, Number(attempt)))
      const found = yield* Effect.forEach(Array.from(attempts), ([jobId, attempt]) =>
        Effect.map(store.job(jobId), ({ job }) =>
          attempt <= job.maxRetries + 1
            ? []
            : [`${called(evidence, jobId)} began its attempt ${attempt}, with ${job.maxRetries} retries`]
        )
      )
      return found.flat()
    }).pipe(Effect.orDie)
}

export const nothingIsLeft: Oracle = {
  name: "no workspace is left, and what was made in it is archived",
  judge: (evidence) =>
    Effect.sync(() => {
      const workspaces = join(evidence.folder, "workspaces")
      const left = existsSync(workspaces) ? readdirSync(workspaces) : []
      const missing = Array.from(evidence.history.jobs.values()).filter(
        ({ jobId, state }) =>
          state === "COMPLETED" &&
          hasWorkspace(evidence, jobId) &&
          !existsSync(archived(evidence.folder, jobId))
      )
      return [
        ...left.map((workspace) => `the workspace ${workspace} is left`),
        ...missing.map(({ jobId }) => `the artifact of ${called(evidence, jobId)} is not archived`),
        ...Ledger.lines(evidence.folder, "broken").map((words) => words.join(" "))
      ]
    })
}
