/**
 * Racing hosts: a claim never gives one job to two of them (R8, R9; inngest/inngest#2775).
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StoreDriver } from "../../ports/StoreDriver.ts"
import { allEvents, claim, enlist, submit, type TestHost } from "./StoreActs.ts"
import { insertRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

export const racing = ({ one, two }: StoreTests): void => {
  const race = Effect.fnUntraced(function* (first: StoreDriver, second: StoreDriver) {
    const hosts = [yield* enlist(first), yield* enlist(second), yield* enlist(first)]
    yield* submit(first, ...Array.from({ length: 200 }, (_, n) => insertRow(`${n}`, { priority: n % 5 })))
    const work = Effect.fnUntraced(function* (host: TestHost) {
      const mine: Array<number> = []
      while (true) {
        const { rows } = yield* host.driver.jobs({ by: "ready", workflows: ["review"], now: start, limit: 7 })
        if (rows.length === 0) return mine
        yield* Effect.yieldNow
        const { lost } = yield* host.commit({ changes: rows.map((row) => claim(row, host)) })
        mine.push(...rows.map(({ seq }) => seq).filter((seq) => !lost.includes(seq)))
      }
    })
    const won = yield* Effect.forEach(hosts, work, { concurrency: "unbounded" })
    assert.lengthOf(won.flat(), 200)
    assert.strictEqual(new Set(won.flat()).size, 200)
    for (const [n, host] of hosts.entries()) {
      const owned = yield* second.agents({ by: "owner", host: host.row.host, epoch: host.row.epoch })
      assert.deepStrictEqual(
        owned.map(({ seq }) => seq),
        won[n]?.toSorted((a, b) => a - b)
      )
    }
    const events = yield* allEvents(second)
    assert.lengthOf(events, 200 * 4)
    assert.lengthOf(new Set(events.map(({ job, event }) => `${job} ${event}`)), 200 * 4)
  })

  one("no job goes to two of three hosts that race over two hundred", (driver) => race(driver, driver))
  two("no job goes to two of three hosts that race over two hundred on two connections", race)
}
