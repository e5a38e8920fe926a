/**
 * What two lanes rely on where they meet, as a closed set. A race-shaped one is right in one order of events and could be wrong in another,
 * so that a few examples prove nothing; the others are right by construction, in one place, in one order.
 */
export const primitives = {
  compare_and_swap: { race: true, sentence: "a row is written only by who has seen its latest version" },
  fencing_token: {
    race: true,
    sentence: "a host writes, and lands, only under an epoch that nobody has ended"
  },
  lease: { race: true, sentence: "a host that has not beaten for a while may be taken for lost" },
  stale_heartbeat: { race: true, sentence: "silence is read as death, and may be wrong" },
  timer: { race: true, sentence: "a deadline fires beside what it was set for" },
  unique_constraint: { race: true, sentence: "of two writers of one key, the store takes one" },
  mailbox_handover: {
    race: true,
    sentence: "a letter says what was so when it was sent, and may come late or twice"
  },
  incarnation: { race: true, sentence: "a word of an earlier life is told from a word of this one" },
  landing_lock: {
    race: true,
    sentence: "one landing at a time goes into a target, and its outcome may be unknown"
  },
  intent_row: {
    race: true,
    sentence: "what an operator wants stands in the store beside what a host is doing"
  },
  transition_table: { race: false, sentence: "a move is legal where the table has it, whoever makes it" },
  one_commit: { race: false, sentence: "what belongs together is written in one transaction, or not at all" },
  none: { race: false, sentence: "one lane does it alone" }
} as const satisfies { readonly [name: string]: { readonly race: boolean; readonly sentence: string } }

export type Primitive = keyof typeof primitives

/** The primitives whose outcome depends on who comes first. */
export type RaceShaped = {
  [Name in Primitive]: (typeof primitives)[Name]["race"] extends true ? Name : never
}[Primitive]

export const isRaceShaped = (primitive: Primitive): primitive is RaceShaped => primitives[primitive].race
