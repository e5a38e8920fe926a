import { Schedule } from "effect"

/** A bounded number of tries for what may be broken for a moment (R25, R30). */
export const again = (tries: number) =>
  Schedule.exponential("100 millis").pipe(Schedule.upTo({ times: tries - 1 }))
