// The audit as an oracle: every store that a fleet has written is held to it, by the catalogue that its hosts had.
import { assert } from "@effect/vitest"
import {
  auditStore,
  type CatalogueRow,
  ErrorCatalogue,
  type Finding,
  Store,
  type StoreService
} from "@muster/core"
import { Effect } from "effect"

/** Its findings; what it could not judge is one of them, since nothing moves while it reads. */
export const audit = Effect.fnUntraced(function* (
  store: StoreService,
  codes: ReadonlyArray<CatalogueRow> = []
) {
  const found: Array<Finding> = []
  const report = (finding: Finding) => Effect.sync(() => void found.push(finding))
  const { unjudged } = yield* auditStore({ catalogue: yield* ErrorCatalogue.compile(codes), report }).pipe(
    Effect.provideService(Store, store)
  )
  return [...found, ...unjudged]
})

/** Notes are how things stand until a host runs again. */
export const isFault = (finding: Finding | string): boolean =>
  typeof finding === "string" || finding.severity === "fault"

/** Holds the store to every rule. */
export const checkAudit = Effect.fnUntraced(function* (
  store: StoreService,
  codes: ReadonlyArray<CatalogueRow>
) {
  assert.deepStrictEqual((yield* audit(store, codes)).filter(isFault), [])
})
