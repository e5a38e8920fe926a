/**
 * The numbers that the command ends with: a few of its own, then those of sysexits where they fit.
 */

export interface ExitCode {
  readonly exitCode: number
  readonly name: string
  readonly meaning: string
}

const table = {
  ok: [0, "Done; the store says so."],
  unexpected: [1, "A failure that nobody foresaw: a bug of Muster or of a plugin."],
  usage: [2, "The command line is wrong."],
  incomplete: [3, "Some of the command's jobs did not complete."],
  notFound: [4, "What was named does not exist."],
  conflict: [5, "It contradicts what is there: the key, or the state, is taken."],
  refused: [6, "A rule forbids it: too late to cancel, not eligible for replay, a letter is mandatory."],
  findings: [7, "The audit, the doctor or the drift gate found what must not be."],
  fenced: [8, "Another host has taken over."],
  data: [65, "The data is wrong (EX_DATAERR)."],
  unavailable: [69, "Something outside failed or is away (EX_UNAVAILABLE)."],
  software: [70, "An agent, a plugin or an invariant is broken (EX_SOFTWARE)."],
  io: [74, "The store or its disk failed (EX_IOERR)."],
  retryLater: [75, "It may work later (EX_TEMPFAIL)."],
  config: [78, "The configuration is wrong (EX_CONFIG)."],
  interrupted: [130, "Ended by SIGINT."]
} as const satisfies Record<string, readonly [number, string]>

type ExitName = keyof typeof table

/** The number by name, for code. */
export const exit = Object.fromEntries(Object.entries(table).map(([name, [code]]) => [name, code])) as {
  // fromEntries forgets which keys it was given; they are those of the table
  readonly [Name in ExitName]: number
}

/** The whole table, for docs and `muster policy`. */
export const exitCodes: ReadonlyArray<ExitCode> = Object.entries(table).map(
  ([name, [exitCode, meaning]]) => ({
    exitCode,
    name,
    meaning
  })
)
