/**
 * `muster backup`: a copy of the store as of one moment.
 */
import { Store } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { BackupJson } from "../json/KeepingJson.ts"
import { answer } from "../output/Answer.ts"
import { size } from "../output/Bytes.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { storePath } from "../store/StorePath.ts"
import { UsageError } from "../UsageError.ts"

interface Input {
  readonly file: string
}

export const backup = Effect.fnUntraced(function* ({ file }: Input) {
  const store = yield* storePath
  const fs = yield* FileSystem.FileSystem
  if (yield* fs.exists(file))
    return yield* new UsageError({ message: `${file} is there already.`, hint: "Name another file." })
  // Says so where there is none, or one of another version.
  yield* Effect.provide(Effect.asVoid(Store), StoreFile.layer("read"))
  const document: BackupJson = { store, file, bytes: yield* SqliteStore.backup(store, file) }
  return yield* answer(document, () => [
    `${file}  ${size(document.bytes)}, a copy of ${store}`,
    "Start no host on it while hosts of the original run on the same machine."
  ])
})
