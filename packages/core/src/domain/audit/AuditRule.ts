/**
 * What the audit holds a store to: one row a rule, with the sentence that must be true and where it comes from. Findings name a rule by
 * its id; the list in docs/operations.md is made from this table.
 */

const table = {
  "undecodable-row": ["Every row holds words of the tables only.", "R18"],
  "validating-at-rest": ["No job rests in VALIDATING.", "R1"],
  "job-agent-mismatch": [
    "A job is PROCESSING exactly while its agent is dispatched or working, and each other state has its own agents.",
    "R1"
  ],
  "owner-missing": ["A working or ending agent is owned: a host and an epoch stand in its row.", "R1, R6"],
  "owner-unknown": ["An owner is a host of this store under the epoch that it was given.", "R6"],
  "waiting-owned": [
    "A PENDING or RETRY_SCHEDULED job is unowned, unless its last life is still ending.",
    "R9"
  ],
  "retry-unreachable": ["A RETRY_SCHEDULED job can be taken when it is due: its agent waits.", "R9"],
  "adoption-owed": ["What a host that is over has left behind is adopted by a running one.", "R19, R23"],
  "host-silent": ["A host that is not over gives a beat within its lease.", "R19"],
  "agent-row": ["An agent's standing, phase and life fit its state.", "design, The tables"],
  incarnation: ["The lives of an agent count upward, and its row is at the last one.", "R6"],
  "not-tombstoned": [
    "The agent of a job that is over is tombstoned, or on its way there under a host.",
    "R11, R30"
  ],
  "tombstone-held": [
    "A tombstoned agent has no owner, no phase and no standing, and its job is over.",
    "R30"
  ],
  disposition: ["A tombstone's disposition is that of its job's state, and nobody else has one.", "R30"],
  "result-missing": ["A COMPLETED job has its result.", "R1, seed: lifecycle"],
  "result-misplaced": ["Only a COMPLETED job has a result.", "R1"],
  "two-completions": ["A job completes once and its agent lands once.", "design, one completer"],
  "chain-start": ["A subject's first event is its creation.", "R12"],
  "chain-gap": ["Each event leaves the state that the one before has reached.", "R12"],
  "chain-end": ["The row stands where its last event has left it.", "law 2"],
  "chain-order": ["The sequences of a job's events ascend.", "R12"],
  "move-illegal": ["Each move is an edge of its table, for a reason of that edge.", "law 2"],
  "time-backwards": ["An event never precedes its subject's previous one.", "R12"],
  "event-bare": ["Each event has a reason, an actor (kind:id) and a time.", "R12, law 2"],
  "event-stray": ["Each event belongs to a job, and that job's chain reaches it.", "R12"],
  "record-stray": ["Each retry row, letter and marker belongs to a job.", "R16"],
  "retry-count": ["retry_count is the number of burned retries, and each row of the log counts on.", "R2"],
  "retry-log": [
    "Each scheduled retry but a hand-back has its row, and each row its event.",
    "design, Errors"
  ],
  "retry-delay": [
    "A retry waits as long as its code's formula says, within the jitter and the cap, or as long as it was asked to.",
    "seed: backoff, R2"
  ],
  "retry-early": ["A retry starts when it is due and not before.", "design, Errors"],
  "retry-permanent": ["A code that is not retryable is not retried.", "seed: error handling"],
  "retry-over-budget": [
    "The burned attempts stay within the smaller of the job's budget and the code's.",
    "R3"
  ],
  "letter-missing": [
    "A job whose end demands a letter is DEAD_LETTERED and has it.",
    "R3, seed: dead-letter contract"
  ],
  "letter-context": [
    "A letter tells why, and the payload and the envelope that a replay needs are there.",
    "R31, seed: dead-letter contract"
  ],
  "letter-misplaced": ["Only a DEAD_LETTERED job has a letter.", "R3"],
  "key-shared": ["A key answers with one job: the newest of its chain.", "R17"],
  "replay-one-way": ["A replay and the job that it replays name each other.", "R17, R31"],
  "marker-stray": ["A marker is of a life that its job's agent has had.", "R6, R28"],
  "marker-result": ["A finished marker has its result, and no other has one.", "R28"],
  "steps-differ": ["An agent's open steps are its job's markers that are started and not finished.", "R28"],
  "hold-stray": ["Only a RETRY_SCHEDULED job is parked, and for a step that is open.", "R28"],
  "slots-exceeded": ["A host has no more living incarnations than slots.", "R4"],
  "tally-wrong": ["The kept counts are what counting gives.", "R16"],
  "intent-open": ["What an operator wants of a job that is over is settled.", "R24"]
} as const satisfies Record<string, readonly [sentence: string, source: string]>

export type AuditRuleId = keyof typeof table

export interface AuditRule {
  readonly id: AuditRuleId
  /** What must be true. */
  readonly sentence: string
  /** Where it comes from: R-numbers of the rules, a seed, the design. */
  readonly source: string
}

/** Every rule, in the order in which findings are told. */
export const auditRules: ReadonlyArray<AuditRule> = Object.entries(table).map(([id, [sentence, source]]) => ({
  // entries forgets which keys it was given; they are those of the table
  id: id as AuditRuleId,
  sentence,
  source
}))
