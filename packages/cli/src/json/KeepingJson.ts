/**
 * What `muster prune` and `muster backup` have done, as their `--json` tells it.
 */
import * as Schema from "effect/Schema"

const Bytes = Schema.NullOr(Schema.Int)

export const PruneJson = Schema.Struct({
  dry_run: Schema.Boolean,
  jobs: Schema.Int.annotate({ description: "Jobs that are gone; with dry_run those that would go" }),
  log_files: Schema.Int.annotate({
    description: "Files of agents' lines that are gone: of forgotten jobs, or beyond their bounds"
  }),
  log_bytes: Schema.Int.annotate({ description: "What those took" }),
  dead_letters: Schema.Int.annotate({
    description: "Letters that nobody has discarded and no replay has answered, afterwards"
  }),
  bytes_before: Bytes.annotate({ description: "What the store's content takes" }),
  bytes_after: Bytes.annotate({ description: "The same afterwards. Room that was freed is used again" }),
  file_before: Schema.Int.annotate({ description: "Bytes of the file" }),
  file_after: Schema.Int.annotate({
    description: "Bytes of the file; it becomes smaller with --vacuum alone"
  })
})
export type PruneJson = typeof PruneJson.Type

export const BackupJson = Schema.Struct({
  store: Schema.String,
  file: Schema.String,
  bytes: Schema.Int
})
export type BackupJson = typeof BackupJson.Type
