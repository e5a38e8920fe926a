/**
 * The first version of the tables. Two principles: rows that are worked on one after another lie beside each other, so that a commit
 * writes few pages (docs/decisions); and what changes often is kept apart from what is wide or never changes.
 */
import { AgentMachine, isOver, JobMachine } from "@muster/core"
import {
  agentDispositions,
  agentPhases,
  agentStandings,
  agentStates,
  checkMoves,
  checkWords,
  jobStates,
  numbersOf
} from "../Words.ts"
import { views } from "./Views.ts"

const tombstoned = agentStates.number("tombstoned")
/** States of a job whose story is over. */
export const over = numbersOf(jobStates, JobMachine.states.filter(isOver))

/** States of a job that is over, of those that are few in a healthy store. */
export const failed = numbersOf(
  jobStates,
  JobMachine.states.filter((state) => isOver(state) && state !== "COMPLETED")
)

/** What index `job_live` holds, each column under a prefix: a query that wants the index repeats its condition. */
export const live = (s: string): string =>
  `${s}owner_host IS NOT NULL OR ${s}agent_state < ${tombstoned} OR (${s}state NOT IN ${over} AND ${s}queue IS NULL)`

/** What index `job_owed` holds: unowned rows whose agent is still to be archived or cleaned (R11). */
export const owed = (s: string): string =>
  `${s}owner_host IS NULL AND (${s}agent_state = ${agentStates.number("landed")} OR ${s}standing = ${agentStandings.number("closing")})`

const names = [
  `CREATE TABLE store (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    id TEXT NOT NULL CHECK (length(id) = 6 AND id NOT GLOB '*[^a-z0-9]*'),
    last_job INTEGER NOT NULL DEFAULT 0,
    last_event INTEGER NOT NULL DEFAULT 0,
    last_ending INTEGER NOT NULL DEFAULT 0,
    -- letters of jobs that no replay has superseded
    letters INTEGER NOT NULL DEFAULT 0,
    -- the latest clock of a commit: rows that were due by then wait in queue 0
    horizon INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  `CREATE TABLE workflow (
    workflow INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT`,
  `CREATE TABLE actor (
    actor INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (name <> '')
  ) STRICT`,
  `CREATE TABLE move (
    move INTEGER PRIMARY KEY,
    subject_kind TEXT NOT NULL,
    event TEXT NOT NULL CHECK (event <> ''),
    from_state TEXT,
    to_state TEXT,
    reason TEXT NOT NULL CHECK (reason <> ''),
    CONSTRAINT a_move_is_in_the_tables_or_is_a_note CHECK (CASE subject_kind
      WHEN 'job' THEN (from_state IS NULL AND to_state IS NULL)
      OR ${checkMoves(JobMachine)}
      WHEN 'agent' THEN (from_state IS NULL AND to_state IS NULL)
      OR ${checkMoves(AgentMachine)}
      WHEN 'host' THEN (from_state IS NULL AND to_state IS NULL)
      ELSE 0 END)
  ) STRICT`,
  `CREATE INDEX move_by_reason ON move (reason, event)`
]

const jobs = [
  `CREATE TABLE job_origin (
    seq INTEGER PRIMARY KEY,
    workflow INTEGER NOT NULL REFERENCES workflow (workflow),
    priority INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL,
    payload_fingerprint TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    max_retries INTEGER NOT NULL,
    correlation_id TEXT,
    trace_context TEXT,
    replay_of INTEGER,
    superseded_by INTEGER,
    payload TEXT NOT NULL
  ) STRICT`,
  `CREATE UNIQUE INDEX job_by_key ON job_origin (workflow, idempotency_key) WHERE superseded_by IS NULL`,
  `CREATE TABLE job_state (
    workflow INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    state INTEGER NOT NULL ${checkWords("state", jobStates)},
    -- NULL: not runnable; 0: was due when it was written or promoted; 1: due later
    queue INTEGER CHECK (queue IN (0, 1)),
    run_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    retry_count INTEGER NOT NULL CHECK (retry_count >= 0),
    agent_state INTEGER ${checkWords("agent_state", agentStates)},
    incarnation INTEGER NOT NULL CHECK (incarnation >= 0),
    owner_host INTEGER,
    owner_epoch INTEGER,
    standing INTEGER ${checkWords("standing", agentStandings)},
    phase INTEGER ${checkWords("phase", agentPhases)},
    hung INTEGER NOT NULL CHECK (hung IN (0, 1)),
    disposition INTEGER ${checkWords("disposition", agentDispositions)},
    -- 1 while a letter of this job may be replayed: such a job is not forgotten
    held INTEGER NOT NULL CHECK (held IN (0, 1)),
    -- the job's latest event or note; each names the one before it
    last_event INTEGER,
    -- its row in job_end
    ending INTEGER,
    last_error_code TEXT,
    -- why the job is parked: such a row is in no queue
    hold TEXT,
    restarts TEXT,
    steps TEXT,
    workspace TEXT,
    PRIMARY KEY (workflow, priority DESC, seq),
    CONSTRAINT an_owner_is_a_host_and_an_epoch CHECK ((owner_host IS NULL) = (owner_epoch IS NULL))
  ) STRICT, WITHOUT ROWID`,
  // The peek (R9): the order in which jobs start. Rows that are due later are read by when they become due, and never in its way.
  `CREATE INDEX job_ready ON job_state (workflow, priority DESC, run_at, seq) WHERE queue = 0`,
  `CREATE INDEX job_later ON job_state (workflow, run_at, priority, seq) WHERE queue = 1`,
  `CREATE INDEX job_later_by_priority ON job_state (workflow, priority DESC, run_at, seq) WHERE queue = 1`,
  // Everything whose agent lives, and whatever else is neither waiting in a queue nor over; by owner.
  `CREATE INDEX job_live ON job_state (owner_host, seq, owner_epoch, agent_state, state) WHERE ${live("")}`,
  // What is left to be archived or cleaned by whoever adopts it.
  `CREATE INDEX job_owed ON job_state (seq) WHERE ${owed("")}`,
  `CREATE INDEX job_failed ON job_state (state, seq) WHERE state IN ${failed}`,
  // Jobs in the order in which they ended, which is how retention finds the oldest, each with its result if it has one. Appending here
  // costs a fifth of an index over the jobs that are over (measured). A letter that may be replayed keeps its job out of this table.
  `CREATE TABLE job_end (
    ending INTEGER PRIMARY KEY,
    job INTEGER NOT NULL,
    result TEXT
  ) STRICT`,
  `CREATE TABLE tally (
    workflow INTEGER NOT NULL,
    state INTEGER NOT NULL ${checkWords("state", jobStates)},
    count INTEGER NOT NULL,
    PRIMARY KEY (workflow, state)
  ) STRICT, WITHOUT ROWID`
]

const histories = [
  // No second index over all: a job's events are a chain that starts at job_state.last_event (docs/decisions).
  `CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    job INTEGER,
    move INTEGER NOT NULL CHECK (move > 0),
    -- 0 stands for the agent of the event's own job
    actor INTEGER NOT NULL CHECK (actor > 0 OR (actor = 0 AND job IS NOT NULL)),
    occurred_at INTEGER NOT NULL,
    incarnation INTEGER NOT NULL,
    previous INTEGER CHECK (previous < sequence),
    error_code TEXT,
    detail TEXT
  ) STRICT`,
  // Few: notes of breakers and reflections. An event of a job costs it nothing.
  `CREATE INDEX event_of_host ON event (job) WHERE job IS NULL`,
  `CREATE TABLE retry (
    cursor INTEGER PRIMARY KEY AUTOINCREMENT,
    job INTEGER NOT NULL,
    attempt INTEGER NOT NULL CHECK (attempt >= 0),
    incarnation INTEGER NOT NULL,
    error_code TEXT NOT NULL CHECK (error_code <> ''),
    burned INTEGER NOT NULL CHECK (burned IN (0, 1)),
    delay_ms INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    at INTEGER NOT NULL,
    failure TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX retry_by_job ON retry (job)`,
  `CREATE TABLE letter (
    cursor INTEGER PRIMARY KEY AUTOINCREMENT,
    job INTEGER NOT NULL UNIQUE,
    final_state TEXT NOT NULL,
    failure_error_code TEXT NOT NULL CHECK (failure_error_code <> ''),
    failure_summary TEXT NOT NULL,
    quarantined_at INTEGER NOT NULL,
    replay_eligible INTEGER NOT NULL CHECK (replay_eligible IN (0, 1)),
    raw TEXT,
    discarded_at INTEGER
  ) STRICT`,
  `CREATE TABLE marker (
    cursor INTEGER PRIMARY KEY AUTOINCREMENT,
    job INTEGER NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('started', 'finished', 'cleared')),
    incarnation INTEGER NOT NULL,
    at INTEGER NOT NULL,
    result TEXT,
    UNIQUE (job, name)
  ) STRICT`
]

const hosts = [
  `CREATE TABLE host (
    host INTEGER PRIMARY KEY AUTOINCREMENT,
    epoch INTEGER NOT NULL UNIQUE,
    turn INTEGER NOT NULL,
    beat INTEGER NOT NULL,
    beat_at INTEGER NOT NULL,
    enlisted_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('live', 'fenced', 'stopped')),
    identity TEXT NOT NULL,
    ended_at INTEGER
  ) STRICT`,
  `CREATE TABLE bank (
    host INTEGER PRIMARY KEY REFERENCES host (host),
    at INTEGER NOT NULL,
    bank TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE breaker (
    cursor INTEGER PRIMARY KEY AUTOINCREMENT,
    workflow_type TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('open', 'half_open', 'closed')),
    opened_at INTEGER,
    probe_at INTEGER,
    failures INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE intent (
    intent INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind <> ''),
    job INTEGER,
    host INTEGER,
    value TEXT,
    reason TEXT NOT NULL CHECK (reason <> ''),
    actor TEXT NOT NULL CHECK (actor <> ''),
    requested_at INTEGER NOT NULL,
    request_id TEXT UNIQUE,
    settled_at INTEGER,
    outcome TEXT
  ) STRICT`,
  `CREATE INDEX intent_open ON intent (intent) WHERE settled_at IS NULL`,
  `CREATE INDEX intent_by_job ON intent (job) WHERE job IS NOT NULL`
]

/** The statements that make version 1 out of nothing, in order. */
export const version1: ReadonlyArray<string> = [...names, ...jobs, ...histories, ...hosts, ...views]
