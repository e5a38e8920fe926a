/**
 * What the end of an attempt says of health: of the job's, whose backoff begins anew after sound work, and of its workflow's, whose breaker
 * hears it.
 */
import type { AbandonReason } from "../AgentMachine.ts"
import type { AttemptEnd } from "../Breaker.ts"
import { defaults } from "../Defaults.ts"
import type { Job } from "../Job.ts"
import type { Reaction } from "../Reaction.ts"
import type { Env } from "./Env.ts"

/** Reasons of attempts that were cut off, or never worked: their time was not spent working. */
const idle: ReadonlySet<AbandonReason> = new Set([
  "prepare_failed",
  "sentinel_failed",
  "stream_silence",
  "stalled",
  "input_required",
  "deadline_exceeded"
])

/**
 * Whether the attempt has worked long enough for the backoff to begin anew. Its row says since when: the last move of an incarnation is the
 * one that began its work.
 */
export const wasSound = (env: Env, { updatedAt }: Job, reason: AbandonReason): boolean =>
  !idle.has(reason) && env.now - updatedAt >= defaults.soundMillis

/** What a reaction says about the workflow's health: only what burned an attempt and may pass counts as a failure. */
export const endOf = (reaction: Reaction): AttemptEnd =>
  reaction._tag === "Retry" || (reaction._tag === "Fail" && reaction.exhausted)
    ? "failure"
    : reaction._tag === "Hold"
      ? "held"
      : "other"
