// Commits turns until it is killed, and prints the sequence of each commit that was acknowledged.
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { claim, finish, insert, start, unit } from "./StoreFixture.ts"

const filename = process.argv[2] ?? ""

await Effect.gen(function* () {
  const driver = yield* SqliteStore.makeDriver({ filename, busyTimeout: 5000 })
  const { id } = yield* driver.open
  const host = yield* driver.enlist({ identity: "{}", at: start })
  for (let turn = 1; ; turn++) {
    const { rows } = yield* driver.jobs({ by: "ready", workflows: ["review"], now: start, limit: 5 })
    const mine = yield* driver.agents({ by: "owner", host: host.host, epoch: host.epoch })
    const { sequence } = yield* driver.commit(
      unit({
        fence: { host: host.host, epoch: host.epoch, turn },
        inserts: Array.from({ length: 5 }, (_, n) => insert(`${host.host} ${turn} ${n}`, { priority: n })),
        changes: [...mine.map((row) => finish(row, id)), ...rows.map((row) => claim(row, host))]
      })
    )
    process.stdout.write(`${sequence}\n`)
  }
}).pipe(Effect.scoped, Effect.runPromise)
