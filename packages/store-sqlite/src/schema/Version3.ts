/**
 * The third version of the tables: parked jobs are counted by an index of their own, which others never enter.
 */

/** The statements that make version 3 out of version 2, in order. */
export const version3: ReadonlyArray<string> = [
  `CREATE INDEX job_parked ON job_state (seq) WHERE hold IS NOT NULL`
]
