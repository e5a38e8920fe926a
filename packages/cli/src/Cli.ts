/**
 * The whole command line: every command with its flags and its help. What a command does is loaded when it is asked for.
 */
import * as Command from "effect/cli/Command"
import { audit } from "./commands/Audit.ts"
import { backup } from "./commands/Backup.ts"
import { cancel } from "./commands/Cancel.ts"
import { completions } from "./commands/Completions.ts"
import { config } from "./commands/Config.ts"
import { dlq } from "./commands/Dlq.ts"
import { doctor } from "./commands/Doctor.ts"
import { drain } from "./commands/Drain.ts"
import { events } from "./commands/Events.ts"
import { explain } from "./commands/Explain.ts"
import { facets } from "./commands/Facets.ts"
import { init } from "./commands/Init.ts"
import { jobs } from "./commands/Jobs.ts"
import { logs } from "./commands/Logs.ts"
import { machine } from "./commands/Machine.ts"
import { metrics } from "./commands/Metrics.ts"
import { model } from "./commands/Model.ts"
import { pause } from "./commands/Pause.ts"
import { policy } from "./commands/Policy.ts"
import { prune } from "./commands/Prune.ts"
import { resume } from "./commands/Resume.ts"
import { scale } from "./commands/Scale.ts"
import { settle } from "./commands/Settle.ts"
import { show } from "./commands/Show.ts"
import { spec } from "./commands/Spec.ts"
import { status } from "./commands/Status.ts"
import { submit } from "./commands/Submit.ts"
import { tell } from "./commands/Tell.ts"
import { timeline } from "./commands/Timeline.ts"
import { watch } from "./commands/Watch.ts"
import { demoCommand } from "./demo/DemoCommand.ts"
import { ConfigFlag, JsonFlag, StoreFlag } from "./GlobalFlags.ts"
import { runCommand } from "./run/RunCommand.ts"

export const muster = Command.make("muster").pipe(
  Command.withDescription(
    "A fleet of agents on your machine: durable jobs, supervised processes, one SQLite file."
  ),
  Command.withSubcommands([
    { group: "work", commands: [runCommand, submit, cancel, settle, tell] },
    { group: "steer", commands: [pause, resume, drain, scale] },
    {
      group: "look",
      commands: [watch, status, jobs, show, explain, timeline, logs, events, dlq, audit, facets, metrics]
    },
    { group: "keep", commands: [doctor, config, prune, backup] },
    { group: "learn", commands: [demoCommand, policy, machine, model, spec, init, completions] }
  ]),
  Command.withGlobalFlags([StoreFlag, ConfigFlag, JsonFlag]),
  Command.withExamples([
    { command: "muster demo", description: "See a fleet at work" },
    { command: "muster run jobs.jsonl --slots 4 -- ./agent {path}", description: "One agent for each line" },
    { command: "muster watch", description: "Look on from elsewhere" },
    { command: "muster explain 3", description: "Why job 3 stands so" },
    { command: "muster run --help", description: "What a command can do" }
  ])
)
