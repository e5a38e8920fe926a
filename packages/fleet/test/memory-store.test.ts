import { storeSuite } from "@muster/core/testing"
import { Effect } from "effect"
import { makeDriver } from "../src/adapters/MemoryStore.ts"

storeSuite(
  "the memory store",
  Effect.sync(() => {
    const driver = makeDriver()
    return { driver, reopen: Effect.sync(driver.reopen) }
  })
)
