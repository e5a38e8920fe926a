/**
 * Errors of the store. `operation` is an operation of the Store contract; `detail` is what the driver said.
 */
import { Schema } from "effect"

const fields = {
  /** The operation of the Store contract that failed. */
  operation: Schema.String,
  /** What the driver said. */
  detail: Schema.String,
  /** The driver's own error; absent where there was none. */
  cause: Schema.optionalKey(Schema.Defect())
}

/** Somebody else holds the store. Nothing happened; ask again after a pause. */
export class StoreBusy extends Schema.TaggedError<StoreBusy>()("ORCH_STORE_BUSY", fields) {
  override get message() {
    return `The store is busy (${this.operation}): ${this.detail}. Nothing was written; try again.`
  }
}

/** A row has moved since it was read. Nothing was written; read it again and decide again. */
export class StoreStale extends Schema.TaggedError<StoreStale>()("ORCH_STORE_STALE", fields) {
  override get message() {
    return `A row changed in the meantime (${this.operation}): ${this.detail}. Nothing was written; read again.`
  }
}

/** The tables of the store are of another version than this program's, and stay as they are. */
export class StoreVersion extends Schema.TaggedError<StoreVersion>()("ORCH_STORE_VERSION", {
  /** The place as it was named. */
  name: Schema.String,
  /** The version of its tables. */
  version: Schema.Int,
  /** The version that this program reads and writes. */
  known: Schema.Int,
  /** Why an older one was not brought up: a sentence's end. Empty for a newer one. */
  obstacle: Schema.String
}) {
  override get message() {
    return this.version > this.known
      ? `${this.name} was written by a newer version of Muster (its tables are version ${this.version}, this program knows ${this.known}). Update this program.`
      : `${this.name} has tables of version ${this.version}, and could not be brought to version ${this.known}: ${this.obstacle}`
  }
}

/** There is no store where one was named, and only reading was asked for: nothing was created. */
export class StoreMissing extends Schema.TaggedError<StoreMissing>()("ORCH_STORE_MISSING", {
  /** The place as it was named. */
  name: Schema.String
}) {
  override get message() {
    return `There is no store at ${this.name}.`
  }
}

/** The medium, the file or its data is at fault. A medium may come back (a full disk); a refused row won't. */
export class StoreBroken extends Schema.TaggedError<StoreBroken>()("ORCH_STORE_BROKEN", {
  ...fields,
  /** True: the store is sound and refuses these rows, as they break a constraint. Nothing was written, and repeating won't help. */
  refused: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    if (this.refused === true)
      return `The store refuses what it was given (${this.operation}): ${this.detail}. Nothing was written.`
    return `The store failed (${this.operation}): ${this.detail}. Look at the disk, the file and its permissions.`
  }
}
