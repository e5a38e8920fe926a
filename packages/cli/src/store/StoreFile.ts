/**
 * The store that the command line, the environment or the configuration names. A command that reads never creates one.
 */
import {
  type ConfigInvalid,
  defaults,
  Store,
  StoreBroken,
  type StoreFailure,
  StoreMissing,
  type StoreVersion
} from "@muster/core"
import { SqliteStore, type SqliteStoreOptions } from "@muster/store-sqlite"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import { storePath } from "./StorePath.ts"

const broken = (detail: string) => (cause: PlatformError) =>
  new StoreBroken({ operation: "open", detail: `${detail} (${cause.reason._tag})`, cause })

/** A driver's words don't name the file. */
const named = (error: StoreFailure | StoreVersion, filename: string): StoreFailure | StoreVersion =>
  error._tag === "ORCH_STORE_BROKEN" && !error.detail.includes(filename)
    ? new StoreBroken({
        operation: error.operation,
        detail: `${filename}: ${error.detail}`,
        cause: error.cause
      })
    : error

/** A file's store, whose failures at its opening name the file. */
export const open = (options: SqliteStoreOptions): Layer.Layer<Store, StoreFailure | StoreVersion> =>
  SqliteStore.layer(options).pipe(
    Layer.catch((error) => Layer.effect(Store, Effect.fail(named(error, options.filename))))
  )

const existing = Effect.fnUntraced(function* (filename: string) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* fs.exists(filename).pipe(Effect.mapError(broken(`can't look at ${filename}`)))
  return yield* found ? Effect.void : Effect.fail(new StoreMissing({ name: filename }))
})

const folder = Effect.fnUntraced(function* (filename: string) {
  const fs = yield* FileSystem.FileSystem
  const directory = (yield* Path.Path).dirname(filename)
  yield* fs
    .makeDirectory(directory, { recursive: true })
    .pipe(Effect.mapError(broken(`can't make the folder ${directory}`)))
})

/**
 * The store, opened for as long as the command runs.
 *
 * @param access `read`: as `existing`, and also where it can't be written; `existing`: fails with ORCH_STORE_MISSING where there is none; `create`: makes file and folder where needed
 */
export const layer = (
  access: "read" | "existing" | "create"
): Layer.Layer<
  Store,
  ConfigInvalid | StoreMissing | StoreFailure | StoreVersion,
  FileSystem.FileSystem | Path.Path | Effect.Services<typeof storePath>
> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const filename = yield* storePath
      yield* access === "create" ? folder(filename) : existing(filename)
      return open({
        filename,
        busyTimeout: defaults.busy.commandMillis,
        access: access === "read" ? "read" : "write"
      })
    })
  )
