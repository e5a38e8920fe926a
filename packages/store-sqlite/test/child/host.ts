// A host of this version: enlists, and then renews its lease and commits a turn for each line of its standard input. Says how each went.
import { createInterface } from "node:readline"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Logger, Result } from "effect"
import { unit } from "./StoreFixture.ts"

const filename = process.argv[2] ?? ""
const say = (line: string) => process.stdout.write(`${line}\n`)

await Effect.gen(function* () {
  const driver = yield* SqliteStore.makeDriver({ filename })
  const { epoch, host } = yield* driver.enlist({ identity: "{}", at: Date.now() })
  say("enlisted")
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  for (let turn = 1; ; turn++) {
    if ((yield* Effect.promise(() => lines.next())).done === true) return
    const at = Date.now()
    const result = yield* Effect.result(
      Effect.andThen(
        driver.renew({ host, epoch, at }),
        driver.commit(unit({ fence: { host, epoch, turn }, at, bank: "{}" }))
      )
    )
    say(Result.isSuccess(result) ? "done" : result.failure._tag)
  }
}).pipe(Effect.scoped, Effect.provideService(Logger.LogToStderr, true), Effect.runPromise)
