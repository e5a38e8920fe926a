/**
 * Every document that a command prints with `--json`, for the reference and for the tests that hold the commands to it.
 */
import { DeadMessageJson, JobEnvelope, LifecycleEventJson } from "@muster/core"
import type * as Schema from "effect/Schema"
import { RunConflictJson, RunJobJson, RunSummaryJson } from "../run/RunJson.ts"
import { AuditSummaryJson, FindingJson } from "./AuditJson.ts"
import { CancelJson } from "./CancelJson.ts"
import { ConfigCheckJson, ConfigShowJson } from "./ConfigJson.ts"
import { DoctorJson } from "./DoctorJson.ts"
import { DriftJson } from "./DriftJson.ts"
import { ExplainJson } from "./ExplainJson.ts"
import { FacetJson } from "./FacetJson.ts"
import { FailureJson } from "./FailureJson.ts"
import { InitJson } from "./InitJson.ts"
import { JobJson } from "./JobJson.ts"
import { BackupJson, PruneJson } from "./KeepingJson.ts"
import { LetterJson, LetterStoryJson } from "./LetterJson.ts"
import { LogLineJson } from "./LogLineJson.ts"
import { MachineJson } from "./MachineJson.ts"
import { MetricsJson } from "./MetricsJson.ts"
import { ModelCheckJson } from "./ModelCheckJson.ts"
import { ModelJson } from "./ModelJson.ts"
import { PolicyJson } from "./PolicyJson.ts"
import { ReplayJson, VerdictJson } from "./ReplayJson.ts"
import { SettleJson } from "./SettleJson.ts"
import { SpecJson } from "./SpecJson.ts"
import { StatusJson } from "./StatusJson.ts"
import { SubmitJson } from "./SubmitJson.ts"
import { TellJson } from "./TellJson.ts"
import { TimelineJson } from "./TimelineJson.ts"
import { WishJson } from "./WishJson.ts"

export interface DocumentKind {
  /** Unique; a heading of the reference. */
  readonly title: string
  /** `document`: one, on one line; `lines`: one a line. */
  readonly shape: "document" | "lines"
  readonly schema: Schema.Constraint
}

export const documents: ReadonlyArray<DocumentKind> = [
  { title: "muster run: a job that is over", shape: "lines", schema: RunJobJson },
  { title: "muster run: a line whose key is taken", shape: "lines", schema: RunConflictJson },
  { title: "muster run: the last line", shape: "lines", schema: RunSummaryJson },
  { title: "muster submit", shape: "document", schema: SubmitJson },
  { title: "muster cancel", shape: "document", schema: CancelJson },
  { title: "muster settle", shape: "document", schema: SettleJson },
  { title: "muster tell", shape: "document", schema: TellJson },
  { title: "muster pause, resume, drain and scale", shape: "document", schema: WishJson },
  { title: "muster status", shape: "document", schema: StatusJson },
  { title: "muster jobs", shape: "lines", schema: JobEnvelope },
  { title: "muster show", shape: "document", schema: JobJson },
  { title: "muster explain", shape: "document", schema: ExplainJson },
  { title: "muster timeline", shape: "document", schema: TimelineJson },
  { title: "muster events, and muster run: a move", shape: "lines", schema: LifecycleEventJson },
  { title: "muster logs", shape: "lines", schema: LogLineJson },
  { title: "muster dlq list", shape: "lines", schema: LetterJson },
  { title: "muster dlq show", shape: "document", schema: LetterStoryJson },
  { title: "muster dlq replay", shape: "lines", schema: ReplayJson },
  { title: "muster dlq allow, forbid and discard", shape: "document", schema: VerdictJson },
  { title: "muster dlq messages", shape: "lines", schema: DeadMessageJson },
  { title: "muster audit: a finding", shape: "lines", schema: FindingJson },
  { title: "muster audit: the last line", shape: "lines", schema: AuditSummaryJson },
  { title: "muster metrics", shape: "document", schema: MetricsJson },
  { title: "muster facets", shape: "lines", schema: FacetJson },
  { title: "muster doctor", shape: "document", schema: DoctorJson },
  { title: "muster config check", shape: "document", schema: ConfigCheckJson },
  { title: "muster config show", shape: "document", schema: ConfigShowJson },
  { title: "muster prune", shape: "document", schema: PruneJson },
  { title: "muster backup", shape: "document", schema: BackupJson },
  { title: "muster policy", shape: "lines", schema: PolicyJson },
  { title: "muster machine", shape: "lines", schema: MachineJson },
  { title: "muster model show", shape: "document", schema: ModelJson },
  { title: "muster model drift", shape: "document", schema: DriftJson },
  { title: "muster model check", shape: "document", schema: ModelCheckJson },
  { title: "muster spec", shape: "document", schema: SpecJson },
  { title: "muster init", shape: "document", schema: InitJson },
  { title: "Failures", shape: "document", schema: FailureJson }
]
