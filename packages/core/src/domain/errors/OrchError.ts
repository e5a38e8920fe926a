/**
 * Every error whose tag is its code, by code. The catalogue has a row for each, and a test holds both to it.
 */
import * as Attempt from "./AttemptErrors.ts"
import * as Command from "./CommandErrors.ts"
import * as Config from "./ConfigErrors.ts"
import * as Contract from "./ContractErrors.ts"
import * as DeadLetter from "./DeadLetterErrors.ts"
import * as Drift from "./DriftErrors.ts"
import * as Host from "./HostErrors.ts"
import * as Lifecycle from "./LifecycleErrors.ts"
import * as Message from "./MessageErrors.ts"
import * as Store from "./StoreErrors.ts"

export const orchErrors = {
  ORCH_DUPLICATE_IDEMPOTENCY_KEY: Lifecycle.DuplicateIdempotencyKey,
  ORCH_INVALID_STATE_TRANSITION: Lifecycle.InvalidStateTransition,
  ORCH_RETRY_BUDGET_EXHAUSTED: Lifecycle.RetryBudgetExhausted,
  ORCH_DEAD_LETTER_REQUIRED: DeadLetter.DeadLetterRequired,
  ORCH_STATE_MACHINE_INVARIANT_BROKEN: Lifecycle.StateMachineInvariantBroken,
  ORCH_REPLAY_CONTEXT_MISSING: DeadLetter.ReplayContextMissing,
  ORCH_JOB_NOT_FOUND: Lifecycle.JobNotFound,
  ORCH_CANCEL_TOO_LATE: Lifecycle.CancelTooLate,
  ORCH_SETTLE_TOO_LATE: Lifecycle.SettleTooLate,
  ORCH_HOST_FENCED: Host.HostFenced,
  ORCH_HOST_NOT_FOUND: Host.HostNotFound,
  ORCH_STORE_BUSY: Store.StoreBusy,
  ORCH_STORE_STALE: Store.StoreStale,
  ORCH_STORE_BROKEN: Store.StoreBroken,
  ORCH_STORE_VERSION: Store.StoreVersion,
  ORCH_STORE_MISSING: Store.StoreMissing,
  ORCH_CONFIG_INVALID: Config.ConfigInvalid,
  ORCH_PLUGIN_FAILED: Config.PluginFailed,
  ORCH_MODEL_DRIFT: Drift.ModelDrift,
  ORCH_RETRYABLE_STREAM_SILENCE: Attempt.StreamSilence,
  ORCH_RETRYABLE_STALLED: Attempt.AgentStalled,
  ORCH_INPUT_REQUIRED: Attempt.InputRequired,
  ORCH_RETRYABLE_AGENT_CRASHED: Attempt.AgentCrashed,
  ORCH_RETRYABLE_TIMEOUT: Attempt.PhaseTimeout,
  ORCH_RETRYABLE_WORKSPACE_UNHEALTHY: Attempt.WorkspaceUnhealthy,
  ORCH_RETRYABLE_LANDING_CONFLICT: Attempt.LandingConflict,
  ORCH_GATE_REJECTED: Attempt.GateRejected,
  ORCH_EMPTY_RESULT: Attempt.EmptyResult,
  ORCH_LANDING_UNKNOWN: Attempt.LandingUnknown,
  ORCH_OUTCOME_UNKNOWN: Attempt.OutcomeUnknown,
  ORCH_MAILBOX_FULL: Message.MailboxFull,
  ORCH_MESSAGE_UNDELIVERABLE: Message.MessageUndeliverable,
  ORCH_RETRYABLE_ASK_TIMEOUT: Message.AskTimeout,
  CONTRACT_ENVELOPE_INVALID: Message.EnvelopeInvalid,
  CONTRACT_PAYLOAD_TYPE_MISMATCH: Contract.PayloadTypeMismatch,
  CONTRACT_PAYLOAD_TOO_LARGE: Contract.PayloadTooLarge,
  CONTRACT_RESULT_TOO_LARGE: Contract.ResultTooLarge,
  CONTRACT_MARKER_INVALID: Contract.MarkerInvalid,
  CONTRACT_COMMAND_NOT_FOUND: Command.CommandNotFound,
  CONTRACT_COMMAND_USAGE: Command.CommandUsage,
  DQ_COMMAND_DATA: Command.CommandData,
  EXT_COMMAND_UNAVAILABLE: Command.CommandUnavailable,
  EXT_PROCESS_FAILED: Command.ProcessFailed
} as const

export type OrchError = InstanceType<(typeof orchErrors)[keyof typeof orchErrors]>
