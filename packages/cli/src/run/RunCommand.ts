/**
 * `muster run`: the command line of it. What it does is loaded when it is asked for.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Switch from "../commands/Switch.ts"
import { lazily } from "../Lazily.ts"

const jobs = Argument.String("JOBS").pipe(
  Argument.withDescription(
    "A file of JSON lines, each a payload or a submission; - reads standard input, as does a pipe. Left out: the jobs that wait"
  ),
  Argument.optional
)

const command = Argument.String("COMMAND").pipe(
  Argument.withDescription(
    "After --: the agent's program and its arguments, without a shell; {path} and {payload.path} stand for values of the payload. Left out: the workflows of the configuration"
  ),
  Argument.variadic()
)

const flags = {
  slots: Flag.Int("slots").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Agents at work at once (default 4)"),
    Flag.optional
  ),
  workflow: Flag.String("workflow").pipe(
    Flag.withAlias("w"),
    Flag.withMetavar("NAME"),
    Flag.withDescription(
      "The kind of job (default: named by the command); without a command, the one workflow of the configuration to run"
    ),
    Flag.optional
  ),
  fresh: Switch.make("fresh").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Run lines again that have run before, as jobs of their own"),
    Flag.withDefault(false)
  ),
  skipInvalid: Switch.make("skip-invalid").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Leave bad lines out instead of refusing the whole file"),
    Flag.withDefault(false)
  ),
  drain: Flag.Finite("drain").pipe(
    Flag.withMetavar("SECONDS"),
    Flag.withDescription("How long agents may go on when the run is stopped (default 0)"),
    Flag.optional
  ),
  stdin: Flag.Literals("stdin", ["payload", "lines"]).pipe(
    Flag.withDescription(
      "What agents read: payload (default), one JSON document and its end; lines, the same as a first line, and the input stays open"
    ),
    Flag.optional
  ),
  unknownOutcome: Flag.Literals("unknown-outcome", ["ask", "rerun", "fail"]).pipe(
    Flag.withDescription(
      "When an agent ended between the start and the end of a step that it marked: ask (default), the job waits for muster settle; rerun, the next life does the step again; fail, the job is quarantined"
    ),
    Flag.optional
  ),
  requireResult: Switch.make("require-result").pipe(
    Flag.withoutNegation,
    Flag.withDescription("An agent must print a result line; its output alone doesn't do"),
    Flag.withDefault(false)
  ),
  maxRetries: Flag.Int("max-retries").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Retries of a job after its first attempt (default 4)"),
    Flag.optional
  ),
  silence: Flag.String("silence").pipe(
    Flag.withMetavar("DURATION"),
    Flag.withDescription("Give up an attempt that says nothing for so long, as in 30s or 5m (default 5m)"),
    Flag.optional
  ),
  otlp: Flag.String("otlp").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(
      "Export metrics, traces and logs to the OpenTelemetry collector there, as in http://localhost:4318 (or OTEL_EXPORTER_OTLP_ENDPOINT, or the configuration)"
    ),
    Flag.filter(
      (url) => /^https?:\/\/[^/]/.test(url),
      (url) => `Expected the URL of a collector, as in http://localhost:4318, not ${url}`
    ),
    Flag.optional
  )
}

export const runCommand = Command.make(
  "run",
  { jobs, command, ...flags },
  lazily(async () => (await import("./Run.ts")).run)
).pipe(
  Command.withDescription(
    "Work on jobs with a command, or with the workflows of muster.config.ts: each job is one process at a time, supervised, retried by the code it failed with, recorded in the store. The same lines run a second time answer with what is stored. Exit code 0 when every job of this run completed, 3 when some did not."
  ),
  Command.withShortDescription("Work on jobs"),
  Command.withExamples([
    { command: "muster run jobs.jsonl --slots 8 -- ./agent {payload.path}" },
    { command: "seq 20 | jq -c '{n: .}' | muster run - -- sh -c 'echo $(( {n} * {n} ))'" },
    { command: "muster run -- ./agent {payload.path}", description: "Go on with the jobs that wait" },
    { command: "muster run jobs.jsonl", description: "With the workflows of muster.config.ts" }
  ])
)
