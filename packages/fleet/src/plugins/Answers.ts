/**
 * Reads what plugins answer: they may be plain JavaScript, so an answer that breaks its contract is a failure of the plugin, and texts are
 * cut at their limits (R36).
 */
import {
  BoundedText,
  type Landing,
  limits,
  type Verdict,
  type Workspace,
  type WorkspaceFate
} from "@muster/core"
import { Effect, Schema } from "effect"

const Pass = Schema.TaggedStruct("Pass", {})
const Reject = Schema.TaggedStruct("Reject", { reasons: Schema.Array(Schema.String) })
const Landed = Schema.TaggedStruct("Landed", { reference: Schema.NullOr(Schema.String) })
const Conflict = Schema.TaggedStruct("Conflict", { detail: Schema.String })
const Removed = Schema.TaggedStruct("Removed", {})
const Kept = Schema.TaggedStruct("Kept", { at: Schema.String, reason: Schema.String })

const decodeVerdict = Schema.decodeUnknownEffect(Schema.Union([Pass, Reject]))
const decodeLanding = Schema.decodeUnknownEffect(Schema.Union([Landed, Conflict]))
const decodeFate = Schema.decodeUnknownEffect(Schema.Union([Removed, Kept]))
const Place = Schema.Struct({ ref: Schema.String, path: Schema.String })

/** Whether the lander knows of the order. */
export const readFound = Schema.decodeUnknownEffect(Schema.Literals(["landed", "absent", "unknown"]))

/** References to what was brought to safety. */
export const readArtifacts = Schema.decodeUnknownEffect(Schema.Array(Schema.String))

const short = (text: string): string => BoundedText.truncate(text, limits.reasonBytes)

/** As many reasons as fit into the detail of a failure beside its other fields. */
const bounded = (reasons: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept: Array<string> = []
  for (const reason of reasons) {
    kept.push(short(reason))
    if (BoundedText.fits(JSON.stringify(kept), limits.detailBytes - limits.reasonBytes)) continue
    kept.pop()
    break
  }
  return kept
}

/** A verdict whose reasons are cut: fewer and shorter ones are better for the next attempt than none. */
export const readVerdict = (answer: unknown): Effect.Effect<Verdict, Schema.SchemaError> =>
  Effect.map(decodeVerdict(answer), (verdict) =>
    verdict._tag === "Pass" ? verdict : { _tag: "Reject", reasons: bounded(verdict.reasons) }
  )

export const readLanding = (answer: unknown): Effect.Effect<Landing, Schema.SchemaError> =>
  Effect.map(decodeLanding(answer), (landing) =>
    landing._tag === "Conflict"
      ? { _tag: "Conflict", detail: short(landing.detail) }
      : { _tag: "Landed", reference: landing.reference === null ? null : short(landing.reference) }
  )

/** A reference must come back to its plugin whole, so it is never cut. */
export const readWorkspace: (answer: unknown) => Effect.Effect<Workspace, Schema.SchemaError> =
  Schema.decodeUnknownEffect(Place)

/** Null: it is gone. */
export const readFoundWorkspace: (answer: unknown) => Effect.Effect<Workspace | null, Schema.SchemaError> =
  Schema.decodeUnknownEffect(Schema.NullOr(Place))

export const readFate = (answer: unknown): Effect.Effect<WorkspaceFate, Schema.SchemaError> =>
  Effect.map(decodeFate(answer), (fate) =>
    fate._tag === "Removed" ? fate : { _tag: "Kept", at: short(fate.at), reason: short(fate.reason) }
  )
