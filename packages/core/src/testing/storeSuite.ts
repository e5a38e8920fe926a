/**
 * The conformance suite of the Store contract (ports/StoreDriver.ts). A storage author's whole test file is
 * `storeSuite("mine", acquire)`, where `acquire` opens a new, empty store in a scope.
 */
import { describe } from "@effect/vitest"
import { atomicity } from "./store/Atomicity.ts"
import { audit } from "./store/Audit.ts"
import { finding } from "./store/Finding.ts"
import { hosts } from "./store/Hosts.ts"
import { intents } from "./store/Intents.ts"
import { keys } from "./store/Keys.ts"
import { messages } from "./store/Messages.ts"
import { movement } from "./store/Movement.ts"
import { ownership } from "./store/Ownership.ts"
import { parking } from "./store/Parking.ts"
import { peeking } from "./store/Peek.ts"
import { racing } from "./store/Race.ts"
import { randomCommits } from "./store/RandomCommits.ts"
import { records } from "./store/Records.ts"
import { retention } from "./store/Retention.ts"
import { type AcquireStore, storeTests } from "./store/StoreUnderTest.ts"
import { submission } from "./store/Submission.ts"
import { tallying } from "./store/Tally.ts"
import { words } from "./store/Words.ts"

export interface StoreSuiteOptions {
  /** For each test, in milliseconds; 30,000 unless set. */
  readonly timeout?: number
  /** How many random sequences of commits the property test plays; 25 unless set. */
  readonly runs?: number
}

const groups = {
  submitting: submission,
  keys,
  moving: movement,
  owning: ownership,
  atomicity,
  peeking,
  parking,
  racing,
  auditing: audit,
  hosts,
  records,
  messages,
  intents,
  finding,
  counting: tallying,
  "telling its words": words,
  forgetting: retention,
  "at random": randomCommits
}

/** Registers the tests that every store driver must pass. */
export const storeSuite = (name: string, acquire: AcquireStore, options: StoreSuiteOptions = {}): void => {
  const tests = storeTests(acquire, { timeout: options.timeout ?? 30_000, runs: options.runs ?? 25 })
  describe(`${name} keeps the Store contract`, () => {
    for (const [title, register] of Object.entries(groups)) {
      describe(title, () => {
        register(tests)
      })
    }
  })
}
