/** Muster's store in one SQLite file: `SqliteStore.layer({ filename: "fleet.db" })`. */
export type { SqliteStoreOptions } from "./Connection.ts"
export * as SqliteStore from "./SqliteStore.ts"
