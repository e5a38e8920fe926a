// The five outputs of the lifecycle seed, held against the tables and the functions that they are read off.
import { assert, describe, it } from "@effect/vitest"
import {
  AgentMachine,
  attemptsAllowed,
  ErrorCatalogue,
  fleetSpec,
  isOver,
  JobMachine,
  type LetterCensus,
  LoopMachine,
  Machine,
  react,
  type SpecInput
} from "@muster/core"
import { Effect } from "effect"

const quiet: LetterCensus = {
  letters: 0,
  eligible: 0,
  forbidden: 0,
  replayed: 0,
  discarded: 0,
  codes: new Map(),
  quarantined: 0,
  withoutLetter: [],
  owedLetter: [],
  withoutPayload: [],
  withoutHistory: [],
  strayReplays: [],
  parked: 0
}

const specified = Effect.fnUntraced(function* (given: Partial<SpecInput> = {}) {
  const catalogue = given.catalogue ?? (yield* ErrorCatalogue.compile())
  const input: SpecInput = {
    store: "fleet.db",
    configuration: null,
    workflows: [],
    invariants: [],
    raised: new Map(),
    letters: quiet,
    ...given,
    catalogue
  }
  return { catalogue, spec: fleetSpec(input, { max_retries: 4, unknown_outcome: "ask" }) }
})

describe("the state machines", () => {
  it.effect("are the tables, with every move that they don't have among the forbidden ones", () =>
    Effect.gen(function* () {
      const { spec } = yield* specified()
      for (const [index, machine] of [JobMachine, AgentMachine, LoopMachine].entries()) {
        const found = spec.state_machines[index]
        assert.deepStrictEqual(found?.transitions, machine.edges)
        const table: Machine.Machine = machine
        for (const from of table.states) {
          const forbidden = found?.forbidden.find((one) => one.from === from)?.to ?? []
          for (const to of table.states)
            assert.strictEqual(
              forbidden.includes(to),
              !table.edges.some((edge) => edge.from === from && edge.to === to),
              `${from} to ${to}`
            )
        }
      }
    })
  )

  it.effect("forbid what the seed forbids, and say which states are terminal", () =>
    Effect.gen(function* () {
      const { spec } = yield* specified()
      const [job] = spec.state_machines
      for (const state of ["COMPLETED", "DEAD_LETTERED"])
        assert.include(job?.forbidden.find(({ from }) => from === state)?.to ?? [], "PROCESSING")
      assert.deepStrictEqual(
        job?.states.filter(({ terminal }) => terminal !== "no").map(({ name }) => name),
        JobMachine.states.filter(isOver)
      )
      assert.strictEqual(job?.states.find(({ name }) => name === "FAILED")?.terminal, "unless_quarantined")
    })
  )
})

describe("the idempotency strategy", () => {
  it.effect("has an answer for a taken key in every state of a job, and none runs again", () =>
    Effect.gen(function* () {
      const { idempotency } = (yield* specified()).spec
      assert.deepStrictEqual(
        idempotency.same_payload.map(({ state }) => state),
        [...JobMachine.states]
      )
      for (const { answer, state } of idempotency.same_payload)
        assert.strictEqual(answer === "stored_result", state === "COMPLETED")
      assert.lengthOf(idempotency.side_effects.unknown_outcome, 3)
    })
  )
})

describe("the matrix of codes", () => {
  it.effect("has a row for each row of the catalogue, and says what `react` says", () =>
    Effect.gen(function* () {
      const { catalogue, spec } = yield* specified()
      assert.deepStrictEqual(
        spec.reactions.map(({ code }) => code),
        catalogue.entries.map(({ policy }) => policy.code)
      )
      for (const { code, exhausted, first_failure } of spec.reactions) {
        const { policy } = catalogue.lookup(code)
        const last = { code, maxRetries: 4, retryAfterMillis: null, now: 0, draw: 0.5 }
        const burned = attemptsAllowed(4, policy.maxAttempts)
        assert.strictEqual(first_failure === "retry", policy.retryable, code)
        if (policy.retryable) {
          assert.strictEqual(react(catalogue, { ...last, burned })._tag, "Fail", code)
          assert.strictEqual(exhausted, "dead_letter", code)
          assert.strictEqual(react(catalogue, { ...last, burned: burned - 1 })._tag, "Retry", code)
        } else assert.isNull(exhausted, code)
      }
    })
  )

  it.effect("gives each workflow the smaller of its budget and the code's, and counts what was raised", () =>
    Effect.gen(function* () {
      const workflows = [
        { name: "patient", policy: { maxRetries: 9, unknownOutcome: "ask" as const } },
        { name: "hasty", policy: { maxRetries: 0, unknownOutcome: "rerun" as const } },
        { name: "unknown", policy: null }
      ]
      const raised = new Map([
        ["EXT_A", 3],
        ["EXT_B", 4],
        ["EXT_PROCESS_FAILED", 8]
      ])
      const { spec } = yield* specified({ workflows, raised })
      const row = spec.reactions.find(({ code }) => code === "EXT_*")
      assert.deepStrictEqual(row?.attempts, [
        { workflow: "patient", allowed: 5 },
        { workflow: "hasty", allowed: 1 },
        { workflow: "unknown", allowed: 5 }
      ])
      assert.strictEqual(row?.seen, 7)
      assert.deepStrictEqual(
        spec.workflows.map(({ configured, max_retries, unknown_outcome }) => [
          configured,
          max_retries,
          unknown_outcome
        ]),
        [
          [true, 9, "ask"],
          [true, 0, "rerun"],
          [false, 4, "ask"]
        ]
      )
    })
  )
})

describe("the backoff plan", () => {
  it.effect("is the formula's, with the band of the jitter and never above the cap", () =>
    Effect.gen(function* () {
      const catalogue = yield* ErrorCatalogue.compile([
        {
          code: "EXT_SLOW",
          maxAttempts: 8,
          backoffBaseSeconds: 2,
          backoffMultiplier: 3,
          maxBackoffSeconds: 60,
          jitter: 0.5
        },
        { code: "EXT_LONG", maxAttempts: 100, backoffBaseSeconds: 1, maxBackoffSeconds: 4, jitter: 0 }
      ])
      const { spec } = yield* specified({ catalogue })
      const of = (code: string) => spec.backoff.find((one) => one.code === code)
      assert.deepStrictEqual(of("EXT_SLOW"), {
        code: "EXT_SLOW",
        formula: "min(60, 2 * 3 ^ attempt_index)",
        waits: [
          { attempt: 2, delay_seconds: 2, earliest_seconds: 1, latest_seconds: 3 },
          { attempt: 3, delay_seconds: 6, earliest_seconds: 3, latest_seconds: 9 },
          { attempt: 4, delay_seconds: 18, earliest_seconds: 9, latest_seconds: 27 },
          { attempt: 5, delay_seconds: 54, earliest_seconds: 27, latest_seconds: 60 },
          { attempt: 6, delay_seconds: 60, earliest_seconds: 30, latest_seconds: 60 },
          { attempt: 7, delay_seconds: 60, earliest_seconds: 30, latest_seconds: 60 },
          { attempt: 8, delay_seconds: 60, earliest_seconds: 30, latest_seconds: 60 }
        ],
        total_seconds: 260,
        complete: true
      })
      const long = of("EXT_LONG")
      assert.deepStrictEqual(
        [long?.waits.length, long?.complete, long?.total_seconds],
        [20, false, 1 + 2 + 97 * 4]
      )
      assert.isUndefined(of("DQ_*"), "a code that is not retried has no waits")
    })
  )
})

describe("the decisions", () => {
  it.effect("say which codes a host treats otherwise than their kind", () =>
    Effect.gen(function* () {
      const exceptions = (decisions: ReturnType<typeof fleetSpec>["decisions"]) =>
        Object.fromEntries(decisions.map(({ id, exceptions: codes }) => [id, codes]))
      assert.deepStrictEqual(exceptions((yield* specified()).spec.decisions), {
        "retry-or-fail": [],
        "letter-or-cancel": [],
        replay: ["LEGAL_*", "ORCH_STATE_MACHINE_INVARIANT_BROKEN"]
      })
      const catalogue = yield* ErrorCatalogue.compile([
        { code: "DQ_LATE", retryable: true, maxAttempts: 2 },
        { code: "EXT_GONE", retryable: false, quarantine: false, replayEligible: false }
      ])
      assert.deepStrictEqual(exceptions((yield* specified({ catalogue })).spec.decisions), {
        "retry-or-fail": ["DQ_LATE"],
        "letter-or-cancel": ["EXT_GONE"],
        replay: ["EXT_GONE", "LEGAL_*", "ORCH_STATE_MACHINE_INVARIANT_BROKEN"]
      })
    })
  )

  it.effect("count the codes that are retried as the matrix has them", () =>
    Effect.gen(function* () {
      const { spec } = yield* specified()
      const retried = spec.reactions.filter(({ first_failure }) => first_failure === "retry").length
      assert.include(
        spec.decisions[0]?.answer,
        `${retried} of ${spec.reactions.length} rows are marked retryable`
      )
    })
  )
})

describe("the checklist", () => {
  it.effect("holds for a store without letters", () =>
    Effect.gen(function* () {
      const { governance } = (yield* specified()).spec
      for (const { id, status } of governance.checklist) assert.strictEqual(status, "holds", id)
    })
  )

  it.effect("names what is broken, and what waits for somebody", () =>
    Effect.gen(function* () {
      const letters: LetterCensus = {
        ...quiet,
        letters: 20,
        eligible: 3,
        forbidden: 2,
        replayed: 15,
        quarantined: 21,
        codes: new Map([["LEGAL_HOLD", 20]]),
        withoutLetter: ["s-1"],
        owedLetter: ["s-2"],
        withoutPayload: Array.from({ length: 12 }, (_, n) => `s-${n + 3}`),
        withoutHistory: ["s-15"],
        strayReplays: ["s-16"],
        parked: 1
      }
      const { governance } = (yield* specified({ letters })).spec
      const found = new Map(governance.checklist.map((item) => [item.id, item]))
      for (const id of ["letter-present", "letter-owed", "payload-kept", "history-kept", "replay-linked"])
        assert.strictEqual(found.get(id)?.status, "broken", id)
      for (const id of ["replay-decided", "replay-forbidden", "outcome-settled"])
        assert.strictEqual(found.get(id)?.status, "attend", id)
      assert.strictEqual(found.get("letter-mandatory")?.status, "holds")
      assert.deepInclude(found.get("payload-kept"), { seen: "12 of 20 letters without it" })
      assert.lengthOf(found.get("payload-kept")?.jobs ?? [], 10)
      assert.deepStrictEqual(governance.codes, [{ code: "LEGAL_HOLD", letters: 20, replay_eligible: false }])
    })
  )
})
