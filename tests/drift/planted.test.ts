// Each drift that the gate must name, planted in a copy of a machine or in a real store's schema: the exact line, both sides in it.
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { AgentMachine, declaredWords, JobMachine, type Machine } from "@muster/core"
import { Effect } from "effect"
import { linesOf, opened, rewrite, storePath } from "./StoreUnderDrift.ts"

const jobFile = "machine job (packages/core/src/domain/JobMachine.ts)"
const agentFile = "machine agent (packages/core/src/domain/AgentMachine.ts)"

const job: Machine.Machine = JobMachine
const agent: Machine.Machine = AgentMachine

/** A new store, held against these machines. */
const against = (machines: Parameters<typeof declaredWords>[0]) =>
  Effect.scoped(Effect.flatMap(storePath, (path) => linesOf(path, declaredWords(machines))))

/** A store whose schema was changed, held against the tables. */
const changed = (name: string, from: string | RegExp, to: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const path = yield* storePath
      yield* opened(path, Effect.void)
      yield* rewrite(path, name, from, to)
      return yield* linesOf(path)
    })
  )

describe("a drift of the tables", () => {
  it.effect("a transition that was deleted from a table stands in the store's CHECK all the same", () =>
    Effect.gen(function* () {
      const edges = job.edges.filter(({ event }) => event !== "schedule_retry")
      assert.deepStrictEqual(yield* against({ job: { ...job, edges } }), [
        `MODEL-DRIFT: transition 'PROCESSING --schedule_retry--> RETRY_SCHEDULED' stands in CHECK for jobs, table move, in fleet.db and is not declared in ${jobFile}`
      ])
    })
  )

  it.effect("a state that was added is missing wherever the store keeps states, each place by its name", () =>
    Effect.gen(function* () {
      const states = [...job.states, "SUSPENDED"]
      const edges = [
        ...job.edges,
        { from: "PROCESSING", event: "suspend", to: "SUSPENDED", reasons: ["night"] }
      ]
      const missing = `declared state 'SUSPENDED' of ${jobFile}, number 8, is missing from`
      assert.deepStrictEqual(yield* against({ job: { ...job, states, edges } }), [
        `MODEL-DRIFT: ${missing} CHECK of column state, table job_state, in fleet.db`,
        `MODEL-DRIFT: ${missing} CHECK of column state, table tally, in fleet.db`,
        `MODEL-DRIFT: ${missing} CASE s.state, view jobs, in fleet.db`,
        `MODEL-DRIFT: declared transition 'PROCESSING --suspend--> SUSPENDED' of ${jobFile} is missing from CHECK for jobs, table move, in fleet.db`
      ])
    })
  )

  it.effect("a state that was put between others has moved the numbers of all that follow", () =>
    Effect.gen(function* () {
      const [first = "", ...rest] = job.states
      const lines = yield* against({ job: { ...job, states: [first, "QUEUED", ...rest] } })
      assert.include(
        lines,
        `MODEL-DRIFT: declared state 'VALIDATING' of ${jobFile} is number 2, and number 1 in CHECK of column state, table job_state, in fleet.db, and 6 more have moved: lists of a store are append only`
      )
    })
  )

  it.effect("a state that was taken away is still what the store lets in", () =>
    Effect.gen(function* () {
      const states = agent.states.filter((state) => state !== "tombstoned")
      const lines = yield* against({ agent: { ...agent, states } })
      assert.include(
        lines,
        `MODEL-DRIFT: state 'tombstoned', number 4, stands in CHECK of column agent_state, table job_state, in fleet.db and is not declared in ${agentFile}`
      )
    })
  )

  it.effect("a state that was renamed is told by both its names", () =>
    Effect.gen(function* () {
      const states = job.states.map((state) => (state === "CANCELLED" ? "CANCELED" : state))
      const lines = yield* against({ job: { ...job, states } })
      assert.include(
        lines,
        `MODEL-DRIFT: declared state 'CANCELED' of ${jobFile}, number 7, is called 'CANCELLED' in CHECK of column state, table job_state, in fleet.db`
      )
    })
  )

  it.effect("an event that was renamed is told by both its names, and its creation too", () =>
    Effect.gen(function* () {
      const edges = job.edges.map((edge) => (edge.event === "complete" ? { ...edge, event: "finish" } : edge))
      const creation = { ...job.creation, event: "enqueue" }
      assert.deepStrictEqual(yield* against({ job: { ...job, creation, edges } }), [
        `MODEL-DRIFT: declared event 'enqueue' of ${jobFile}, from (nothing) to PENDING, is called 'submit' in CHECK for jobs, table move, in fleet.db`,
        `MODEL-DRIFT: declared event 'finish' of ${jobFile}, from PROCESSING to COMPLETED, is called 'complete' in CHECK for jobs, table move, in fleet.db`
      ])
    })
  )

  it.effect("the agent's transitions are held to as the job's are", () =>
    Effect.gen(function* () {
      const edges = agent.edges.filter(({ event }) => event !== "recover")
      assert.deepStrictEqual(yield* against({ agent: { ...agent, edges } }), [
        `MODEL-DRIFT: transition 'abandoned --recover--> working' stands in CHECK for agents, table move, in fleet.db and is not declared in ${agentFile}`
      ])
    })
  )
})

describe("a drift of the store", () => {
  it.effect("a CHECK of states that was dropped leaves them unguarded", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* changed("job_state", /CHECK \(state BETWEEN[^)]*\)/, ""), [
        `MODEL-DRIFT: the states of ${jobFile} are guarded by nothing where CHECK of column state, table job_state, in fleet.db should name them: it is not there`
      ])
    })
  )

  it.effect("a CHECK of moves that was dropped leaves both machines unguarded", () =>
    Effect.gen(function* () {
      const lines = yield* changed("move", /,\s*CONSTRAINT a_move_is_in[\s\S]*ELSE 0 END\)/, "")
      assert.deepStrictEqual(lines, [
        `MODEL-DRIFT: the transitions of ${jobFile} are guarded by nothing where CHECK for jobs, table move, in fleet.db should name them: it is not there`,
        `MODEL-DRIFT: the transitions of ${agentFile} are guarded by nothing where CHECK for agents, table move, in fleet.db should name them: it is not there`
      ])
    })
  )

  it.effect("a CHECK that lets one number more in lets a word in that nobody has declared", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* changed("job_state", "(phase BETWEEN 0 AND 8", "(phase BETWEEN 0 AND 9"),
        [
          "MODEL-DRIFT: phase 'number 9', number 9, stands in CHECK of column phase, table job_state, in fleet.db and is not declared in an agent's row (packages/core/src/domain/AgentMachine.ts)"
        ]
      )
    })
  )

  it.effect("a list of words in a CHECK is held to both ways", () =>
    Effect.gen(function* () {
      const of = "a storm breaker (packages/core/src/domain/Breaker.ts)"
      const place = "CHECK of column state, table breaker, in fleet.db"
      assert.deepStrictEqual(yield* changed("breaker", "'half_open'", "'ajar'"), [
        `MODEL-DRIFT: declared state 'half_open' of ${of} is missing from ${place}`,
        `MODEL-DRIFT: state 'ajar' stands in ${place} and is not declared in ${of}`
      ])
    })
  )

  it.effect("a view that tells another word misleads people", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* changed("jobs", "WHEN 4 THEN 'COMPLETED'", "WHEN 4 THEN 'DONE'"), [
        `MODEL-DRIFT: declared state 'COMPLETED' of ${jobFile}, number 4, is called 'DONE' in CASE s.state, view jobs, in fleet.db`
      ])
    })
  )

  it.effect("a transition that a CHECK lacks is missing, one that it has too many is not declared", () =>
    Effect.gen(function* () {
      const accept = "(event, from_state, to_state) IS ('accept', 'VALIDATING', 'PROCESSING')"
      const reopen = "(event, from_state, to_state) IS ('reopen', 'COMPLETED', 'PROCESSING')"
      assert.deepStrictEqual(yield* changed("move", accept, reopen), [
        `MODEL-DRIFT: declared transition 'VALIDATING --accept--> PROCESSING' of ${jobFile} is missing from CHECK for jobs, table move, in fleet.db`,
        `MODEL-DRIFT: transition 'COMPLETED --reopen--> PROCESSING' stands in CHECK for jobs, table move, in fleet.db and is not declared in ${jobFile}`
      ])
    })
  )

  it.effect(
    "a move and a reason that lie in the store and are in no table are told from where they lie",
    () =>
      Effect.gen(function* () {
        const path = yield* storePath
        yield* opened(path, Effect.void)
        const db = new DatabaseSync(path)
        db.exec("PRAGMA ignore_check_constraints = ON")
        const add = db.prepare(
          "INSERT INTO move (subject_kind, event, from_state, to_state, reason) VALUES ('job', ?, ?, ?, ?)"
        )
        add.run("reopen", "COMPLETED", "PROCESSING", "because")
        add.run("complete", "PROCESSING", "COMPLETED", "bored")
        db.close()
        const lies = "was written to table move, in fleet.db and is not declared in"
        assert.deepStrictEqual(yield* linesOf(path), [
          `MODEL-DRIFT: transition 'COMPLETED --reopen--> PROCESSING' ${lies} ${jobFile}`,
          `MODEL-DRIFT: reason 'COMPLETED --reopen--> PROCESSING for because' ${lies} ${jobFile}`,
          `MODEL-DRIFT: reason 'PROCESSING --complete--> COMPLETED for bored' ${lies} ${jobFile}`
        ])
      }).pipe(Effect.scoped)
  )
})
