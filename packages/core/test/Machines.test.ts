import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { AgentMachine } from "../src/domain/AgentMachine.ts"
import { InvalidStateTransition } from "../src/domain/errors/LifecycleErrors.ts"
import { isOver, JobMachine } from "../src/domain/JobMachine.ts"
import { LoopMachine } from "../src/domain/LoopMachine.ts"
import * as Machine from "../src/domain/Machine.ts"

/** Each row: a state, and where each of its events leads. Written from the seeds and the design, not from the code. */
type Matrix = Readonly<Record<string, Readonly<Record<string, string>>>>

const job: Matrix = {
  PENDING: { validate: "VALIDATING", cancel: "CANCELLED" },
  VALIDATING: { accept: "PROCESSING", reject: "FAILED", cancel: "CANCELLED" },
  PROCESSING: {
    complete: "COMPLETED",
    schedule_retry: "RETRY_SCHEDULED",
    fail: "FAILED",
    cancel: "CANCELLED"
  },
  RETRY_SCHEDULED: { retry: "PROCESSING", cancel: "CANCELLED" },
  FAILED: { dead_letter: "DEAD_LETTERED" },
  COMPLETED: {},
  DEAD_LETTERED: {},
  CANCELLED: {}
}

const agent: Matrix = {
  dispatched: { prepare: "working", abandon: "abandoned" },
  working: { land: "landed", abandon: "abandoned" },
  landed: { clean: "tombstoned" },
  abandoned: { recover: "working", tombstone: "tombstoned" },
  tombstoned: {}
}

const loop: Matrix = {
  observe: { settle: "land", halt: "stopped" },
  land: { refill: "refill", halt: "stopped" },
  refill: { bank: "bank", rest: "rest", halt: "stopped" },
  bank: { rest: "rest", halt: "stopped" },
  rest: { wake: "observe", halt: "stopped" },
  stopped: {}
}

const machines: ReadonlyArray<readonly [Machine.Machine, Matrix]> = [
  [JobMachine, job],
  [AgentMachine, agent],
  [LoopMachine, loop]
]

for (const [machine, matrix] of machines) {
  const events = Array.from(new Set(machine.edges.map(({ event }) => event)))
  describe(`the ${machine.name} machine`, () => {
    it("has the states and the moves of its table, and no others", () => {
      assert.sameMembers([...machine.states], Object.keys(matrix))
      assert.sameMembers(events, [...new Set(Object.values(matrix).flatMap((row) => Object.keys(row)))])
      assert.lengthOf(machine.edges, Object.values(matrix).flatMap((row) => Object.keys(row)).length)
    })

    for (const state of machine.states) {
      it(`moves from ${state} as its table says, and refuses every other event with ORCH_INVALID_STATE_TRANSITION`, () => {
        const row = matrix[state] ?? {}
        for (const event of [...events, "no_such_event"]) {
          const to = row[event]
          const stepped = Machine.step(machine, state, event)
          if (to !== undefined) assert.deepStrictEqual(stepped, Result.succeed(to))
          else {
            const refused = Result.merge(stepped)
            assert.instanceOf(refused, InvalidStateTransition)
            assert.deepInclude(refused, {
              _tag: "ORCH_INVALID_STATE_TRANSITION",
              machine: machine.name,
              state,
              event
            })
            assert.sameMembers([...refused.legal], Object.keys(row))
          }
        }
        assert.sameMembers([...Machine.legal(machine, state)], Object.keys(row))
      })
    }

    it("reaches every state from its first one", () => {
      assert.sameMembers([...Machine.reachable(machine)], [...machine.states])
    })

    it("lets nothing leave a final state, and calls no state final that something leaves", () => {
      for (const state of machine.states)
        assert.strictEqual(Machine.isFinal(machine, state), Object.keys(matrix[state] ?? {}).length === 0)
    })

    it("has a reason for each move and for the creation, and says none twice", () => {
      for (const { reasons } of [...machine.edges, machine.creation]) {
        assert.isNotEmpty(reasons)
        assert.lengthOf(new Set(reasons), reasons.length)
        for (const reason of reasons) assert.match(reason, /^[a-z]+(_[a-z]+)*$/)
      }
    })

    it("draws every move, its start and its ends", () => {
      const lines = Machine.mermaid(machine).split("\n")
      assert.strictEqual(lines[0], "stateDiagram-v2")
      assert.include(lines, `  [*] --> ${machine.initial}`)
      for (const state of machine.final) assert.include(lines, `  ${state} --> [*]`)
      for (const { event, from, to } of machine.edges) {
        const arrow = lines.find((line) => line.startsWith(`  ${from} --> ${to}: `))
        assert.include(arrow?.split(": ")[1]?.split(" / ") ?? [], event)
      }
      const arrows = new Set(machine.edges.map(({ from, to }) => `${from} ${to}`))
      assert.lengthOf(lines, 1 + 1 + arrows.size + machine.final.length + 1)
    })
  })
}

describe("the job machine, held against the seed", () => {
  const leads = (from: string, to: string) =>
    JobMachine.edges.some((edge) => edge.from === from && edge.to === to)

  it("has each transition that the seed requires", () => {
    for (const [from, to] of [
      ["PENDING", "VALIDATING"],
      ["VALIDATING", "PROCESSING"],
      ["PROCESSING", "COMPLETED"],
      ["PROCESSING", "RETRY_SCHEDULED"],
      ["RETRY_SCHEDULED", "PROCESSING"],
      ["PROCESSING", "FAILED"],
      ["FAILED", "DEAD_LETTERED"]
    ] as const)
      assert.isTrue(leads(from, to), `${from} -> ${to}`)
  })

  it("never takes a job that is over back to work: neither COMPLETED nor DEAD_LETTERED leads to PROCESSING", () => {
    for (const state of JobMachine.states.filter(isOver)) {
      for (const to of ["PENDING", "VALIDATING", "PROCESSING", "RETRY_SCHEDULED"])
        assert.isFalse(leads(state, to), `${state} -> ${to}`)
    }
    assert.sameMembers(JobMachine.states.filter(isOver), [
      "COMPLETED",
      "FAILED",
      "DEAD_LETTERED",
      "CANCELLED"
    ])
  })

  it("cancels for the reasons of R29 alone, and from every state in which work is still to be done", () => {
    const cancels = JobMachine.edges.filter(({ event }) => event === "cancel")
    assert.sameMembers(
      cancels.map(({ from }) => from),
      JobMachine.states.filter((state) => !isOver(state))
    )
    for (const { reasons } of cancels)
      assert.sameMembers([...reasons], ["operator", "caller", "parent", "shutdown_policy"])
    const elsewhere = JobMachine.edges.filter(({ event }) => event !== "cancel")
    for (const { reasons } of elsewhere) assert.notInclude(reasons.join(), "operator")
  })
})

describe("the agent machine, held against the seed", () => {
  it("has the seed's five transitions under the seed's labels, and the two declared extensions", () => {
    const seeds = [
      ["dispatched", "prepare", "working"],
      ["working", "land", "landed"],
      ["working", "abandon", "abandoned"],
      ["abandoned", "recover", "working"],
      ["landed", "clean", "tombstoned"]
    ]
    const extensions = [
      ["dispatched", "abandon", "abandoned"],
      ["abandoned", "tombstone", "tombstoned"]
    ]
    assert.sameDeepMembers(
      AgentMachine.edges.map(({ event, from, to }) => [from, event, to]),
      [...seeds, ...extensions]
    )
    const reasonsOf = (state: "working" | "abandoned" | "landed", event: "land" | "abandon" | "clean") =>
      Machine.edge(AgentMachine, state, event)?.reasons ?? []
    assert.deepStrictEqual([...reasonsOf("working", "land")], ["commit_verified"])
    assert.include([...reasonsOf("working", "abandon")], "stream_silence")
    assert.include([...reasonsOf("landed", "clean")], "clean")
  })
})
