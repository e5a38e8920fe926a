/**
 * The rows that every catalogue starts from: one root, the prefixes, and each code that Muster raises itself
 * (design, "Errors and reactions"; rules.md, "Defaults, as numbers"). What a row leaves out comes from its prefix.
 */
import type { CatalogueRow, CodePolicy } from "./CatalogueRow.ts"
import type { orchErrors } from "./errors/OrchError.ts"
import { exit } from "./ExitCode.ts"

/** The row of last resort, for codes that nobody has declared: permanent, since nothing is known about them. */
export const fallback: CodePolicy = {
  code: "*",
  category: null,
  severity: "error",
  retryable: false,
  maxAttempts: 1,
  backoffBaseSeconds: 1,
  backoffMultiplier: 2,
  maxBackoffSeconds: 300,
  jitter: 0.2,
  deadLetterOnExhaustion: true,
  quarantine: true,
  replayEligible: true,
  exitCode: exit.unexpected,
  hint: "Nobody has declared this code: add a row for it to the catalogue."
}

const prefixes: ReadonlyArray<CatalogueRow> = [
  {
    code: "EXT_*",
    severity: "warning",
    retryable: true,
    maxAttempts: 5,
    backoffBaseSeconds: 1,
    backoffMultiplier: 2,
    maxBackoffSeconds: 300,
    jitter: 0.2,
    exitCode: exit.unavailable,
    hint: "Something outside failed: look at the service that the agent called."
  },
  { code: "ORCH_*", exitCode: exit.software, hint: "The runtime refused or failed: the message says where." },
  {
    code: "ORCH_RETRYABLE_*",
    severity: "warning",
    retryable: true,
    maxAttempts: 5,
    backoffBaseSeconds: 0.5,
    backoffMultiplier: 2,
    maxBackoffSeconds: 60,
    jitter: 0.2,
    exitCode: exit.retryLater,
    hint: "The attempt was lost, not the job: look at the agent's log if it happens again."
  },
  { code: "DQ_*", exitCode: exit.data, hint: "The data is not good enough: mend it, then replay." },
  { code: "MATH_*", exitCode: exit.data, hint: "The calculation can't be right: mend it, then replay." },
  {
    code: "LEGAL_*",
    replayEligible: false,
    exitCode: exit.refused,
    hint: "A legal rule forbids it: clear it with whoever answers for the rule, then allow the replay."
  },
  {
    code: "CONTRACT_*",
    exitCode: exit.data,
    hint: "Caller and workflow disagree: mend one of the two, then replay."
  }
]

/** One row for each class of errors/OrchError.ts: the compiler finds a missing one, a test an extra one. */
const own: { readonly [C in keyof typeof orchErrors]: Omit<CatalogueRow, "code"> } = {
  ORCH_DUPLICATE_IDEMPOTENCY_KEY: {
    exitCode: exit.conflict,
    hint: "Another payload holds this key: submit the same payload, or use another key."
  },
  ORCH_INVALID_STATE_TRANSITION: {
    exitCode: exit.conflict,
    hint: "The table has no such move: `muster machine` shows the legal ones."
  },
  ORCH_RETRY_BUDGET_EXHAUSTED: {
    exitCode: exit.incomplete,
    hint: "All attempts are used up: mend the cause named by last_error_code, then replay the letter."
  },
  ORCH_DEAD_LETTER_REQUIRED: {
    exitCode: exit.refused,
    hint: "A mandatory dead letter can't be configured or pruned away."
  },
  ORCH_STATE_MACHINE_INVARIANT_BROKEN: {
    severity: "critical",
    replayEligible: false,
    hint: "This is a bug or a damaged store: keep the letter's raw row and report it."
  },
  ORCH_REPLAY_CONTEXT_MISSING: {
    exitCode: exit.refused,
    hint: "The letter is not eligible or its context is gone: allow the replay, or submit the job anew."
  },
  ORCH_JOB_NOT_FOUND: { exitCode: exit.notFound, hint: "Look at the id and at the path of the store." },
  ORCH_CANCEL_TOO_LATE: {
    severity: "info",
    exitCode: exit.refused,
    hint: "The job has ended or its landing has begun: wait for its end."
  },
  ORCH_SETTLE_TOO_LATE: {
    severity: "info",
    exitCode: exit.refused,
    hint: "Nobody asks about this step any more: `muster show` says what the job waits for."
  },
  ORCH_HOST_FENCED: {
    severity: "critical",
    exitCode: exit.fenced,
    hint: "The host was taken for lost: look for a suspended machine or a blocked process, then start it again."
  },
  ORCH_HOST_NOT_FOUND: {
    exitCode: exit.notFound,
    hint: "Look at the live hosts: muster status. A restarted host has a new number."
  },
  ORCH_STORE_BUSY: {
    severity: "warning",
    exitCode: exit.retryLater,
    hint: "Another process holds the store: try again."
  },
  ORCH_STORE_STALE: {
    severity: "warning",
    exitCode: exit.retryLater,
    hint: "Somebody else changed the row first: read it again."
  },
  ORCH_STORE_BROKEN: {
    severity: "critical",
    exitCode: exit.io,
    hint: "Look at the disk, the store's file and its permissions."
  },
  ORCH_STORE_VERSION: {
    exitCode: exit.config,
    hint: "Use one version of the program on a store: stop hosts of the older one, then start the newer."
  },
  ORCH_STORE_MISSING: {
    exitCode: exit.notFound,
    hint: "Begin one with `muster run` or `muster submit`, or name another file with --store."
  },
  ORCH_MODEL_DRIFT: {
    severity: "critical",
    exitCode: exit.findings,
    hint: "Each line names both sides: mend the one that is wrong, or bring the store up with a migration."
  },
  ORCH_CONFIG_INVALID: { exitCode: exit.config, hint: "Mend the setting that the message names." },
  ORCH_PLUGIN_FAILED: {
    retryable: true,
    maxAttempts: 5,
    backoffBaseSeconds: 10,
    hint: "Mend the plugin that the message names: jobs that need it wait unburned and go on by themselves."
  },
  ORCH_RETRYABLE_STREAM_SILENCE: {
    hint: "Let the agent report progress or extend its window, or raise the workflow's silence."
  },
  ORCH_RETRYABLE_STALLED: {
    hint: "Heartbeats are not progress: let the agent say what it does, or raise the workflow's progressWindow."
  },
  ORCH_INPUT_REQUIRED: {
    severity: "warning",
    exitCode: exit.incomplete,
    hint: "The agent asked and nobody answered: put the answer into the payload or the agent's instructions, then replay."
  },
  ORCH_RETRYABLE_AGENT_CRASHED: {
    hint: "The agent threw or died without a code: the cause is in the failure; give it a code to steer what follows."
  },
  ORCH_RETRYABLE_TIMEOUT: {
    hint: "A phase passed its deadline: raise the deadline or make the phase quicker."
  },
  ORCH_RETRYABLE_WORKSPACE_UNHEALTHY: {
    hint: "Look at the place that the message names; the next attempt prepares it and checks it again."
  },
  ORCH_RETRYABLE_LANDING_CONFLICT: {
    hint: "The target moved on: the next attempt starts from the new base."
  },
  ORCH_GATE_REJECTED: {
    severity: "warning",
    retryable: true,
    maxAttempts: 3,
    backoffBaseSeconds: 0.5,
    maxBackoffSeconds: 60,
    exitCode: exit.incomplete,
    hint: "The definition of done is not met: the gate's reasons are in the failure and go to the next attempt."
  },
  ORCH_EMPTY_RESULT: {
    severity: "warning",
    retryable: true,
    maxAttempts: 3,
    backoffBaseSeconds: 0.5,
    maxBackoffSeconds: 60,
    exitCode: exit.incomplete,
    hint: "The agent ended without a result: let it answer, or make the workflow's result optional."
  },
  ORCH_LANDING_UNKNOWN: {
    severity: "critical",
    hint: "Look at the target to see whether the result has landed, then settle or replay the job."
  },
  ORCH_OUTCOME_UNKNOWN: {
    hint: "A step was started and nobody knows whether it was done: look at what it writes to, then replay the job."
  },
  ORCH_MAILBOX_FULL: {
    severity: "warning",
    retryable: true,
    maxAttempts: 5,
    backoffBaseSeconds: 1,
    maxBackoffSeconds: 60,
    exitCode: exit.retryLater,
    hint: "The agent doesn't read as fast as it is written to: send less, or again later."
  },
  ORCH_MESSAGE_UNDELIVERABLE: {
    severity: "warning",
    exitCode: exit.refused,
    hint: "The reason says why nobody takes the message: `muster dlq messages` lists those that were lost."
  },
  ORCH_RETRYABLE_ASK_TIMEOUT: {
    hint: "The agent that was asked did not answer in time: ask for longer, or look at what it does."
  },
  CONTRACT_ENVELOPE_INVALID: {
    hint: "The message names the field that is missing or malformed: mend its sender."
  },
  CONTRACT_PAYLOAD_TYPE_MISMATCH: {
    hint: "The message names the place that doesn't fit the schema: mend the payload, the result or the schema."
  },
  CONTRACT_PAYLOAD_TOO_LARGE: { hint: "Pass a reference to the data instead of the data." },
  CONTRACT_RESULT_TOO_LARGE: { hint: "Store the data as an artifact and answer with a reference." },
  CONTRACT_MARKER_INVALID: {
    hint: "Give the step another name, or keep its result small and of one type."
  },
  CONTRACT_COMMAND_NOT_FOUND: {
    exitCode: exit.config,
    hint: "Install the program, or mend the command or PATH."
  },
  CONTRACT_COMMAND_USAGE: {
    exitCode: exit.config,
    hint: "The program refuses how it was called: mend the command."
  },
  DQ_COMMAND_DATA: { hint: "The program can't use its input: mend the payload." },
  EXT_COMMAND_UNAVAILABLE: { hint: "Something that the program needs is away for now." },
  EXT_PROCESS_FAILED: { hint: "The program failed: the end of its standard error is in the failure." }
}

export const defaultRows: ReadonlyArray<CatalogueRow> = [
  ...prefixes,
  ...Object.entries(own).map(([code, row]) => Object.assign({ code }, row))
]
