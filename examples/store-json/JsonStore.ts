// The seat of the store, filled with a JSON file: what a fleet is given in place of SqliteStore.layer.
import { SnapshotStore } from "@muster/fleet"
import { jsonFile } from "./JsonFile.ts"

export const makeDriver = (filename: string) => SnapshotStore.makeDriver(jsonFile(filename))

export const layer = (options: { readonly filename: string }) =>
  SnapshotStore.layer(jsonFile(options.filename))
