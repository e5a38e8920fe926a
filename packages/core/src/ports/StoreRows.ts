/**
 * The rows that a store driver moves: flat, encoded, with the seed's column names. Integers are safe integers, instants
 * are epoch milliseconds, texts are UTF-8; JSON travels as text that a driver never looks into.
 */

/** The columns of a job's row that never change after its insert. */
export interface JobOriginRow {
  readonly workflow_type: string
  readonly idempotency_key: string
  readonly payload_fingerprint: string
  readonly priority: number
  readonly created_at: number
  readonly max_retries: number
  /** Null means: the job's own id. */
  readonly correlation_id: string | null
  readonly trace_context: string | null
  /** The `seq` of the job that this one replays. */
  readonly replay_of: number | null
}

/**
 * The columns of a job's row that a change writes, all of them each time. `state` and `agent_state` follow the tables: a name that
 * they don't have is refused by the store itself. At the insert: PENDING, `updated_at` as `created_at`, no retries, no agent.
 */
export interface JobStateRow {
  readonly state: string
  readonly run_at: number
  readonly updated_at: number
  readonly retry_count: number
  readonly last_error_code: string | null
  /** Why the job is parked, JSON text: such a row is not runnable, whatever its due time. Null: not parked. */
  readonly hold: string | null
  /** Null, like every column below but `incarnation` (then 0) and `hung` (then 0), until the job is accepted. */
  readonly agent_state: string | null
  readonly incarnation: number
  readonly owner_host: number | null
  readonly owner_epoch: number | null
  readonly standing: string | null
  readonly phase: string | null
  /** 0 or 1. */
  readonly hung: number
  /** JSON array of instants, or null for none. */
  readonly restarts: string | null
  /** JSON array of the names of markers that are started and not finished, or null for none. */
  readonly steps: string | null
  readonly workspace: string | null
  readonly disposition: string | null
}

/** A job's whole row as it is read. */
export interface JobRow extends JobOriginRow, JobStateRow {
  /** Given by the store at the insert: from 1, ascending in order of arrival, never used twice. */
  readonly seq: number
  /** 1 at the insert, raised by one with each change, and by nothing else. */
  readonly version: number
  /**
   * The `seq` of the replay that took over this job's key; null while the key is its own. Written by that insert alone, without
   * raising `version`: a host that still cleans up behind this job must not lose it because an operator replays.
   */
  readonly superseded_by: number | null
}

/** A job's row with its bodies, which live apart from it. Null: not asked for, or (result) not there yet. */
export interface JobWithBodiesRow extends JobRow {
  /** JSON text. */
  readonly payload: string | null
  /** JSON text. */
  readonly result: string | null
}

/** An event or a note to be written; the store numbers them in the order given. */
export interface EventDraftRow {
  /** `job`, `agent` or `host`. */
  readonly subject_kind: string
  readonly event: string
  /** A state of the subject's table, or null; refused by the store itself otherwise. */
  readonly from_state: string | null
  /** As `from_state`. */
  readonly to_state: string | null
  /** Refused by the store itself when empty. */
  readonly transition_reason: string
  readonly error_code: string | null
  /** Refused by the store itself when empty. */
  readonly actor: string
  /** Refused by the store itself when it is not an instant (NaN). */
  readonly occurred_at: number
  readonly incarnation: number
  readonly detail: string | null
}

export interface EventRow extends EventDraftRow {
  /** From 1, ascending by one; a number is used once, also when the event is forgotten. */
  readonly sequence: number
  /** Null for a host's note. */
  readonly job: number | null
  /** The job's correlation id; null where the job's own id stands for it, and for a host's note. */
  readonly correlation_id: string | null
}

/** One row of the retry log: each scheduled retry, with the attempt that failed and when the next one is due. */
export interface RetryRow {
  /** The burned attempts so far, this one included; 0 when none is burned. */
  readonly attempt: number
  readonly incarnation: number
  readonly error_code: string
  /** 0 or 1: whether this attempt counts against the budget. */
  readonly burned: number
  readonly delay_ms: number
  readonly next_at: number
  readonly at: number
  /** What went wrong, bounded; JSON text of a Failure. */
  readonly failure: string
}

/** A job's dead letter, one a job (a later one replaces); the retry history and the payload are read from their own rows. */
export interface LetterRow {
  /** The job's state before quarantine (R31). */
  readonly final_state: string
  readonly failure_error_code: string
  readonly failure_summary: string
  readonly quarantined_at: number
  /** 0 or 1. */
  readonly replay_eligible: number
  /** The raw row, as JSON text, when it could not be decoded (R18); else null. */
  readonly raw: string | null
  /** When an operator discarded it; null for nobody has. A discarded letter counts as gone: it keeps nothing, and is never replayed. */
  readonly discarded_at: number | null
}

/** One step of a job that is started or done, for safe re-entry (R6, R28). Unique by job and name; a later one replaces. */
export interface MarkerRow {
  readonly name: string
  /** `started`, `finished`, or `cleared`: it was started, and somebody has settled that it was not done. */
  readonly state: string
  readonly incarnation: number
  readonly at: number
  /** JSON text of the step's result; null unless it is finished. */
  readonly result: string | null
}

/** What an operator wants, durable until a host has carried it out (design: "rows of intent"). */
export interface IntentDraftRow {
  /** `cancel`, `settle`, `pause`, `resume`, `drain` or `scale`. */
  readonly kind: string
  /** The job's `seq`, for `cancel` and `settle`. */
  readonly job: number | null
  /** The host it addresses; null for all. */
  readonly host: number | null
  /** JSON text of its arguments; null for none. */
  readonly value: string | null
  readonly reason: string
  readonly actor: string
  readonly requested_at: number
  /** Unique where given: repeating a request returns the first one's row (R24). */
  readonly request_id: string | null
}

export interface IntentRow extends IntentDraftRow {
  readonly intent: number
  /** Null until a host has dealt with it. */
  readonly settled_at: number | null
  /** What came of it, in one word; null until settled. */
  readonly outcome: string | null
}

/** A host as the store knows it. */
export interface HostRow {
  readonly host: number
  readonly epoch: number
  /** The number of its latest commit (R10). */
  readonly turn: number
  /** Raised by one with each renewal; another host takes it for lost when it has not changed for a lease (R19). */
  readonly beat: number
  readonly beat_at: number
  readonly enlisted_at: number
  /** `live`, `fenced` or `stopped`. */
  readonly state: string
  /** JSON text: machine, boot id, pid, start time. */
  readonly identity: string
}

/** The storm breaker of one workflow (design, "Agents, supervision, recovery"). */
export interface BreakerRow {
  /** Unique: a later row replaces. */
  readonly workflow_type: string
  /** `open`, `half_open` or `closed`. */
  readonly state: string
  /** Epoch ms; null while it is closed. */
  readonly opened_at: number | null
  /** Epoch ms of the next probe; null while it is closed. */
  readonly probe_at: number | null
  /** Failures that were counted when the row was written. */
  readonly failures: number
  /** Epoch ms of this row. */
  readonly at: number
}

/**
 * One word of the store's vocabulary, read from where it stands: its schema and its tables, never from the program's own lists. Every
 * list of `guardedLists` has its row or rows, whatever the source.
 */
export interface VocabularyRow {
  /**
   * `constraint`: the store refuses whatever such rows of the place don't name. `spelling`: how it tells its numbers to people. `held`:
   * it lies in the store. `shared`: the driver checks with core's tables themselves and has no list of its own.
   */
  readonly source: string
  /** Which list of words: one of `wordLists`. */
  readonly list: string
  /** Where it stands, in words that lead there: `CHECK of column state, table job_state`. */
  readonly place: string
  /** Null: a place that should name the list's words names none (a constraint that is gone), and always where it is `shared`. */
  readonly word: string | null
  /** The number that stands for the word; null where words are kept as they are. */
  readonly number: number | null
}

/** An error code that the store holds. */
export interface CodeRow {
  readonly code: string
  /** `events`, `retries`, `letters` or `jobs` (its latest one). */
  readonly place: string
  /** How often it stands there; 1 or more. */
  readonly count: number
}

/** A message that nobody has taken: a dead letter of the message kind. Nothing refers to it, and it belongs to no job. */
export interface MessageRow {
  readonly message_id: string
  readonly producer_agent: string
  readonly consumer_agent: string
  readonly message_type: string
  /** From a closed vocabulary; refused by the store itself when empty. */
  readonly reason: string
  /** Epoch ms. */
  readonly at: number
  /** The envelope, bounded; JSON text. */
  readonly envelope: string
}

/** Counts that are kept, never counted: reading them costs the same at any size. */
export interface TallyRows {
  /** Jobs by workflow and state; combinations without a job may be absent. */
  readonly jobs: ReadonlyArray<{
    readonly workflow_type: string
    readonly state: string
    readonly count: number
  }>
  /** The `run_at` of the runnable job that has waited longest, due ones only at the reader's `now`; null for none. */
  readonly oldest_ready: number | null
  /** The sequence of the last event; 0 for none. */
  readonly sequence: number
  /** Letters that are not discarded, of jobs that no replay has superseded. */
  readonly letters: number
  /** Jobs that are parked until somebody says what became of a step (R28). */
  readonly parked: number
  /** Messages that nobody has taken, all that ever were: the store keeps the newest of them. */
  readonly messages: number
  /** Bytes that the store's content takes, room that was freed and is kept for reuse left out; null where the driver can't tell. */
  readonly bytes: number | null
}
