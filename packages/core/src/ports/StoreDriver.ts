/**
 * What a storage author implements: twelve operations on encoded rows (R16). `Store.fromDriver` adds codecs, ids, invariants
 * and spans once for every driver; `storeSuite` from @muster/core/testing says whether an implementation is right.
 *
 * Every operation may fail with `ORCH_STORE_BUSY` (somebody else holds the store: nothing happened, ask again) and
 * `ORCH_STORE_BROKEN` (the medium or the data is at fault). Each is atomic, and what it answered is durable as promised.
 */
import type { Effect } from "effect"
import type { HostFenced } from "../domain/errors/HostErrors.ts"
import type { StoreBroken, StoreBusy, StoreStale } from "../domain/errors/StoreErrors.ts"
import type {
  BreakerRow,
  CodeRow,
  EventDraftRow,
  EventRow,
  HostRow,
  IntentDraftRow,
  IntentRow,
  JobOriginRow,
  JobStateRow,
  JobWithBodiesRow,
  LetterRow,
  MarkerRow,
  MessageRow,
  RetryRow,
  TallyRows,
  VocabularyRow
} from "./StoreRows.ts"

export type StoreFailure = StoreBusy | StoreBroken

/** Who commits: the host, its epoch, and this commit's number, one above the host's latest (R10). */
export interface FenceRow {
  readonly host: number
  readonly epoch: number
  readonly turn: number
}

/**
 * A new job in PENDING. A taken key doesn't fail the commit: it is answered, and its events are left out. Of two inserts of one
 * key in one unit the second is the duplicate.
 */
export interface InsertRow {
  readonly origin: JobOriginRow
  readonly run_at: number
  /** JSON text. */
  readonly payload: string
  readonly events: ReadonlyArray<EventDraftRow>
  /**
   * The `seq` of the job whose key this one takes over (a replay): superseded in the same unit, whoever owns it. If it was superseded
   * before, the insert is a duplicate of the newest in the chain (R31); an unknown job, or one with another workflow or key,
   * breaks a constraint; one whose letter is discarded refuses the whole commit with `ORCH_STORE_STALE`. Null otherwise.
   */
  readonly supersedes: number | null
}

/** One change of one job's row with all that belongs to it: written together or not at all. */
export interface ChangeRow {
  readonly seq: number
  /** The version that the row must still have; it becomes one more. */
  readonly version: number
  /**
   * True for a refilled or adopted job: it must be unowned, and losing it to another host leaves out this change alone.
   * False: it must be unowned, or owned by the fence's host and epoch; anything else refuses the whole commit with
   * `ORCH_STORE_STALE`. A row whose owner's epoch is over counts as unowned, with a fence and without: so it is adopted. A row
   * that doesn't exist has moved.
   */
  readonly contested: boolean
  readonly state: JobStateRow
  readonly events: ReadonlyArray<EventDraftRow>
  readonly retry: RetryRow | null
  readonly letter: LetterRow | null
  readonly markers: ReadonlyArray<MarkerRow>
  /** JSON text of the job's result, written once: a second one breaks a constraint (one completer). Null for none in this change. */
  readonly result: string | null
}

/**
 * One unit of work. Everything in it happens, save lost contested changes and duplicate inserts, or nothing. Its events are numbered
 * without gaps in this order: those of the inserts, of the changes, the notes. At most one change a job.
 */
export interface CommitRows {
  /** Null for submitters and the command line: such a commit may insert, move unowned jobs only, and settle intents about hosts. */
  readonly fence: FenceRow | null
  /** The committer's clock, epoch ms. */
  readonly at: number
  readonly inserts: ReadonlyArray<InsertRow>
  readonly changes: ReadonlyArray<ChangeRow>
  /** Records outside the chains (late, refused, host); `job` null for a host's. */
  readonly notes: ReadonlyArray<EventDraftRow & { readonly job: number | null }>
  readonly intents: ReadonlyArray<IntentDraftRow>
  /**
   * The first settling stays: one of a settled or unknown intent does nothing. With `job`: only if the contested change of that job was
   * not lost; else the intent stays open.
   */
  readonly settled: ReadonlyArray<{
    readonly intent: number
    readonly outcome: string
    readonly job?: number
  }>
  /**
   * The fleet's snapshot, JSON text, replacing this host's former one, and those of hosts whose epoch is over: it is newer than theirs. Null for
   * none, as always without a fence.
   */
  readonly bank: string | null
  /** Each replaces its workflow's former one; of one workflow at most one. None without a fence. */
  readonly breakers: ReadonlyArray<BreakerRow>
  /**
   * Messages that nobody has taken, and how many that are in all: some are counted and not kept. The store keeps the newest
   * `limits.deadMessages`, and counts all. Null for none, as always without a fence.
   */
  readonly undelivered: { readonly count: number; readonly rows: ReadonlyArray<MessageRow> } | null
}

/** An insert's answer: the new job's number, or the job that has the key already (R17). */
export type InsertedRow =
  | { readonly duplicate: false; readonly seq: number }
  | {
      readonly duplicate: true
      readonly seq: number
      readonly state: string
      readonly run_at: number
      readonly payload_fingerprint: string
    }

export interface CommittedRows {
  /** One a requested insert, in order. */
  readonly inserted: ReadonlyArray<InsertedRow>
  /** The `seq` of each contested change that another host won; empty when none was lost. */
  readonly lost: ReadonlyArray<number>
  /** The number of each new intent, or of the former one with its request id, in order. */
  readonly intents: ReadonlyArray<number>
  /** The sequence of the last event in the store after this commit; 0 for none ever. */
  readonly sequence: number
}

export type JobsQuery =
  /**
   * The peek (R9): runnable rows, unowned and due at `now`, of the named workflows, with payload; larger priority first, then
   * run_at, then seq (R7). Runnable is what `isRunnable` in domain/Job.ts says. Costs the same at ten jobs and at a million.
   */
  | {
      readonly by: "ready"
      readonly workflows: ReadonlyArray<string>
      readonly now: number
      readonly limit: number
    }
  /** These rows in any order, with both bodies if asked; unknown numbers are absent. */
  | { readonly by: "seq"; readonly seqs: ReadonlyArray<number>; readonly bodies: boolean }
  /** The row that the key answers with: the newest of its chain. Without bodies. */
  | { readonly by: "key"; readonly workflow_type: string; readonly idempotency_key: string }
  /** A page in ascending `seq`, after `after` (0: from the start), of one state or of all. Without bodies. */
  | {
      readonly by: "page"
      readonly state: string | null
      readonly workflow: string | null
      readonly after: number
      readonly limit: number
    }

export interface JobsRows {
  readonly rows: ReadonlyArray<JobWithBodiesRow>
  /** For the peek: when the next runnable row of those workflows that is not due yet becomes due; else, or none, null. */
  readonly next_due: number | null
}

/** None of them brings bodies. */
export type AgentsQuery =
  /** Rows owned by this host and epoch, in ascending `seq`. */
  | { readonly by: "owner"; readonly host: number; readonly epoch: number }
  /** A page of rows whose agent is in one of these states, in ascending `seq`. */
  | {
      readonly by: "state"
      readonly states: ReadonlyArray<string>
      readonly after: number
      readonly limit: number
    }
  /**
   * What adoption looks for, in ascending `seq`: rows owned by an epoch that is over, whoever's, and unowned ones whose agent
   * still owes archive or clean: landed, or abandoned and closing (R11).
   */
  | { readonly by: "orphaned"; readonly after: number; readonly limit: number }

export interface EventsQuery {
  /** Null for all jobs and hosts. */
  readonly job: number | null
  /** With `job` null. True: only records of hosts, which belong to no job; a look costs the same at any number of jobs. Left out: all. */
  readonly hosts?: boolean
  /** Only events after this sequence; 0 from the start. */
  readonly after: number
  readonly limit: number
  /** `descending` starts from the newest and then goes back from `after` (0: from the end). */
  readonly order: "ascending" | "descending"
}

/**
 * Pages of everything that is kept beside jobs and events, by ascending cursor. The cursor is the driver's own number of a record,
 * and of an intent its `intent`; retries of one job come in the order written. `vocabulary` and `codes` are no rows that were written, but
 * what the store says of itself; the first costs the same at any size, the second reads everything.
 */
export type RecordsQuery = {
  readonly kind: RecordRow["kind"]
  /** Null for all; else of this job. */
  readonly job: number | null
  /** Cursor of the last record seen; 0 from the start. */
  readonly after: number
  readonly limit: number
  /** For `intents`: those that no host has settled. For `letters`: those that nobody has discarded. */
  readonly open?: boolean
}

export type RecordRow =
  | { readonly kind: "retries"; readonly cursor: number; readonly job: number; readonly row: RetryRow }
  | {
      readonly kind: "letters"
      readonly cursor: number
      readonly job: number
      readonly row: LetterRow & { readonly replayed_by: number | null }
    }
  | { readonly kind: "markers"; readonly cursor: number; readonly job: number; readonly row: MarkerRow }
  | {
      readonly kind: "intents"
      readonly cursor: number
      readonly job: number | null
      readonly row: IntentRow
    }
  | { readonly kind: "hosts"; readonly cursor: number; readonly job: null; readonly row: HostRow }
  | {
      readonly kind: "banks"
      readonly cursor: number
      readonly job: null
      readonly row: { readonly host: number; readonly at: number; readonly bank: string }
    }
  | { readonly kind: "breakers"; readonly cursor: number; readonly job: null; readonly row: BreakerRow }
  | { readonly kind: "messages"; readonly cursor: number; readonly job: null; readonly row: MessageRow }
  | { readonly kind: "vocabulary"; readonly cursor: number; readonly job: null; readonly row: VocabularyRow }
  | { readonly kind: "codes"; readonly cursor: number; readonly job: null; readonly row: CodeRow }

export interface StoreDriver {
  /** Who the store is. `id` is its own, short (six characters of a-z0-9), made once; `name` is for people: a path. */
  readonly open: Effect.Effect<{ readonly id: string; readonly name: string }, StoreFailure>
  /** A new, live host with a fresh epoch above all earlier ones, turn 0. A restart is a new host: no id is used twice. */
  readonly enlist: (request: {
    readonly identity: string
    readonly at: number
  }) => Effect.Effect<HostRow, StoreFailure>
  /** Raises the beat and answers the row (its turn tells whether an uncertain commit happened). Fenced: `ORCH_HOST_FENCED`. */
  readonly renew: (request: {
    readonly host: number
    readonly epoch: number
    readonly at: number
  }) => Effect.Effect<HostRow, StoreFailure | HostFenced>
  /**
   * Ends the host's epoch: no commit under it succeeds any more. `stopped` is the graceful hand-back, `fenced` the takeover, which
   * only succeeds while the host's beat is still `beat`. Answers whether this call ended it.
   */
  readonly fence: (request: {
    readonly host: number
    readonly epoch: number
    readonly beat: number | null
    readonly as: "fenced" | "stopped"
    readonly at: number
  }) => Effect.Effect<boolean, StoreFailure>
  /**
   * Makes one unit durable. Refuses whole: `ORCH_HOST_FENCED` (the epoch is over, or the turn is not the next one),
   * `ORCH_STORE_STALE` (an uncontested row has moved), `ORCH_STORE_BROKEN` (a row breaks a constraint: then the error says `refused`).
   */
  readonly commit: (unit: CommitRows) => Effect.Effect<CommittedRows, StoreFailure | StoreStale | HostFenced>
  readonly jobs: (query: JobsQuery) => Effect.Effect<JobsRows, StoreFailure>
  readonly agents: (query: AgentsQuery) => Effect.Effect<ReadonlyArray<JobWithBodiesRow>, StoreFailure>
  readonly events: (query: EventsQuery) => Effect.Effect<ReadonlyArray<EventRow>, StoreFailure>
  readonly records: (query: RecordsQuery) => Effect.Effect<ReadonlyArray<RecordRow>, StoreFailure>
  readonly tally: (request: { readonly now: number }) => Effect.Effect<TallyRows, StoreFailure>
  /**
   * A token that differs from the last answer when another process has committed since, and stays while nobody writes; whether this
   * connection's own writes move it is up to the driver. Cheap enough for ten a second.
   */
  readonly changed: Effect.Effect<number, StoreFailure>
  /**
   * Forgets finished jobs with all that belongs to them, at most `limit`, those with the smallest `updated_at` first. Finished: the job
   * is over (`isOver`), its agent, if any, tombstoned, and `updated_at` before `finished_before`. Never one whose letter may still be
   * replayed (eligible, not discarded, not superseded), nor one with a later job in its chain that has to stay: a replay reads the markers before it
   * (R31). Answers how many are gone; no number is used again. With `dry_run` none goes: it answers how many would. With `jobs`: of these
   * alone, by their `seq`.
   */
  readonly prune: (request: {
    readonly finished_before: number
    readonly limit: number
    readonly dry_run?: boolean
    readonly jobs?: ReadonlyArray<number>
  }) => Effect.Effect<number, StoreFailure>
}
