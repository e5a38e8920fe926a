/**
 * Whether a signal fits where its agent stands. One that doesn't was given twice, or spoke of a phase that is over: it changes nothing.
 */
import type { Agent } from "../Agent.ts"
import type { Signal } from "./Signal.ts"

type FromIncarnation = Extract<Signal, { readonly incarnation: number }>

/** An ending agent keeps the phase that its fiber is in, so that the fiber's own last word still fits. */
export const isExpected = ({ phase, standing }: Agent, signal: FromIncarnation): boolean => {
  switch (signal._tag) {
    case "Prepared":
    case "PrepareFailed":
      return phase === "prepare"
    case "Worked":
    case "WorkFailed":
      return phase === "work"
    case "Verified":
    case "VerifyFailed":
      return phase === "verify"
    case "LandingAbsent":
      // Only the lander that was asked can say so, and once: a landing that has begun is not begun again.
      return phase === "land" && standing === "landing_unknown"
    case "LandingDone":
    case "LandingRejected":
    case "LandingUnknown":
      return phase === "land"
    case "Overdue":
      // The sentinel is a part of prepare: the row doesn't tell them apart.
      return phase === (signal.phase === "sentinel" ? "prepare" : signal.phase)
    case "Ended":
    case "Hung":
      return standing === "ending"
    case "MarkerStarted":
    case "MarkerFinished":
      // They end no phase, and are decided apart.
      return false
    case "Archived":
      return phase === "archive"
    case "Cleaned":
      // What could not be archived is not cleaned: its workspace is kept.
      return phase === "archive" || phase === "clean"
  }
}
