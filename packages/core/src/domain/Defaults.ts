/**
 * The defaults and limits, each in this one place (rules.md, "Defaults, as numbers"; R14, R15, R30, R36). Plain data, so
 * that they can be printed. The defaults of retries are rows of the catalogue: see DefaultCatalogue.ts.
 */

export const defaults = {
  /** Incarnations that a host runs at once, at most. */
  slots: 4,
  /** A host whose beat stood still for this long is lost (R19), in milliseconds. */
  leaseMillis: 15_000,
  /** Between two renewals of a lease, in milliseconds. */
  renewalMillis: 3_000,
  /** Deadline of each phase, in milliseconds; null: none. */
  phaseMillis: {
    prepare: 60_000,
    sentinel: 10_000,
    work: null,
    commit: 60_000,
    verify: 600_000,
    land: 600_000,
    archive: 60_000,
    tombstone: 60_000,
    clean: 60_000
  },
  /** Without an event for this long an agent is abandoned, in milliseconds. */
  silenceMillis: 300_000,
  /** The longest that a runner may ask for by an open tool call or an extension, in milliseconds. */
  silenceCapMillis: 1_800_000,
  /** An agent that waits for an answer fails after so long (R35), in milliseconds. */
  inputMillis: 1_800_000,
  /** Between the polite and the hard end of a process (TERM, then KILL), in milliseconds. */
  stopGraceMillis: 5_000,
  /** The whole shutdown of a host, in milliseconds. */
  hostStopMillis: 30_000,
  /** Retries of a job, where neither its submission nor its workflow says; the code's `max_attempts` bounds them too. */
  maxRetries: 4,
  /** Recoveries that burn no attempt, in a sliding window (R2). */
  restartBudget: { restarts: 5, windowMillis: 600_000 },
  /**
   * An attempt that has worked for so long before it failed was sound, in milliseconds: the backoff begins anew after it. It is the longest
   * wait of the default rows. A probe that has worked so long closes its breaker.
   */
  soundMillis: 300_000,
  /** The storm breaker of a workflow: opens at `failures` of the last `attempts`, probes after `probeMillis`. */
  breaker: { failures: 5, attempts: 10, windowMillis: 60_000, probeMillis: 30_000 },
  /** The fleet's snapshot is older than this when it is banked anew, in milliseconds. */
  bankMillis: 60_000,
  /** At rest the loop asks the store for changes this often (R14), in milliseconds. */
  changedMillis: 100,
  /** After a pause the slots fill up one by one within this window (R22), in milliseconds. */
  resumeSpreadMillis: 2_000,
  /** Messages in the user lane of a mailbox. */
  mailboxMessages: 1_000,
  /** Between two questions whether a landing happened of which nobody knows, doubling, in milliseconds (R27). */
  reconcile: { baseMillis: 5_000, maxMillis: 60_000 },
  /** The caps of one commit (R15). */
  commit: { changes: 1_000, millis: 10 },
  /** How long SQLite may block a host, and a one-shot command, when another holds it (R15), in milliseconds. */
  busy: { hostMillis: 20, commandMillis: 5_000 },
  /** Tries of a failing clean-up before the workspace is kept (R30), and of a broken gate (R25). */
  tries: { clean: 3, gate: 3 },
  /** What is kept of finished jobs and of logs: whichever bound is met first. */
  retention: { jobDays: 30, jobs: 1_000_000, bytes: null, logDays: 7, logBytes: 1_073_741_824 },
  /**
   * Lines of agents on their way to their files: written so often at most, in milliseconds; of one agent and of all so many bytes wait, what comes
   * beyond is left out.
   */
  logBuffer: { flushMillis: 250, agentBytes: 1_048_576, allBytes: 8_388_608 },
  /** Forgetting: how often a host looks, and what one transaction of it may hold, in jobs and in milliseconds. */
  pruning: { everyMillis: 60_000, jobs: 200, millis: 10 }
} as const

/** Sizes that nothing passes, in bytes of UTF-8 where they say bytes (R36). */
export const limits = {
  /** A larger payload is refused at submit with CONTRACT_PAYLOAD_TOO_LARGE. */
  payloadBytes: 1_048_576,
  /** A larger result fails its attempt with CONTRACT_RESULT_TOO_LARGE, permanently. */
  resultBytes: 1_048_576,
  /** A longer line of a process is cut and marked. */
  lineBytes: 65_536,
  /** Standard output that stands in for a missing result line: its end (R32). */
  stdoutBytes: 65_536,
  /** The result of a step of a job (R28), as JSON text. */
  markerBytes: 65_536,
  /** Steps that one incarnation begins. */
  markers: 1_000,
  /** The payload of a message between agents, as JSON text. */
  messageBytes: 65_536,
  /** What the unread messages of one agent may take; `defaults.mailboxMessages` bounds their number. */
  mailboxBytes: 4_194_304,
  /** Undeliverable messages that a store keeps, the newest; all are counted. */
  deadMessages: 1_000,
  /** An undeliverable message as it is kept, JSON text: a larger one is kept without its payload. */
  deadMessageBytes: 16_384,
  /** The name of a step, in characters. */
  markerNameLength: 128,
  /** A reason, a failure's message, a failure summary. */
  reasonBytes: 1_024,
  /** A failure's detail, and its cause. */
  detailBytes: 8_192,
  /** Log lines that are kept of one agent; all agents share `defaults.retention.logBytes`. */
  agentLogBytes: 16_777_216,
  /** A workflow's name, in characters. */
  workflowTypeLength: 128,
  /** An idempotency key, a correlation id or a request id, in characters. */
  keyLength: 512,
  /** Priorities run from minus this to plus this. */
  priority: 1_000_000,
  /** The most retries that a job may ask for. */
  maxRetries: 1_000,
  /** A longer retry-after hint is cut to this, in milliseconds: 31 days, longer than any provider's window. */
  retryAfterMillis: 2_678_400_000
} as const
