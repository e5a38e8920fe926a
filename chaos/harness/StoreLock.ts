/**
 * Another process that holds the store's write lock for a while, as a backup or somebody's sqlite3 does.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { Effect } from "effect"

const program = `
const { DatabaseSync } = require("node:sqlite")
const [file, millis] = process.argv.slice(1)
const db = new DatabaseSync(file, { timeout: 5000 })
db.exec("BEGIN IMMEDIATE")
console.log("held")
setTimeout(() => { db.exec("ROLLBACK"); db.close() }, Number(millis))
`

/** Returns when the lock is held; `released` returns when it is free again. Free with its scope at the latest. */
export const hold = Effect.fnUntraced(function* (store: string, millis: number) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["-e", program, store, String(millis)], {
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (holder) => Effect.sync(() => holder.kill("SIGKILL"))
  )
  const exit = once(child, "exit")
  yield* Effect.promise(() => once(child.stdout, "data"))
  return { released: Effect.asVoid(Effect.promise(() => exit)) }
})
