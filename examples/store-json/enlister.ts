// A process that enlists twenty hosts in the store that it is told, as fast as it can.
import { Effect } from "effect"
import * as JsonStore from "./JsonStore.ts"

const busy = { while: ({ _tag }: { readonly _tag: string }) => _tag === "ORCH_STORE_BUSY" }

const enlist = Effect.gen(function* () {
  const driver = yield* JsonStore.makeDriver(process.argv[2] ?? "")
  for (let at = 0; at < 20; at++) yield* Effect.retry(driver.enlist({ identity: "{}", at }), busy)
})

await Effect.runPromise(Effect.retry(enlist, { ...busy, times: 10 }))
