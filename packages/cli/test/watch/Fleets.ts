// Fleets of any size to look at, the same each time: what a live host would say of them.
import { initial, takeLook } from "../../src/watch/BoardState.ts"
import type { AgentLook, FleetLook, HostLook } from "../../src/watch/FleetLook.ts"

export const now = Date.UTC(2026, 10, 30, 12)

const noJobs = {
  PENDING: 0,
  VALIDATING: 0,
  PROCESSING: 0,
  RETRY_SCHEDULED: 0,
  COMPLETED: 0,
  FAILED: 0,
  DEAD_LETTERED: 0,
  CANCELLED: 0
}

const words = [
  "reading src/main.ts",
  "tests: 41 passed, 1 failed",
  "asking the model about the third chapter of the report",
  ""
]
const phases = ["work", "work", "work", "verify", "prepare", "land"]

const agent = (index: number): AgentLook => ({
  jobId: `k3x9qa-${1_001 + index}`,
  workflow: ["crawl", "summarise", "review-pull-requests"][index % 3] ?? "crawl",
  host: 3,
  state: "working",
  phase: phases[index % phases.length] ?? "work",
  incarnation: 1,
  attempt: index % 7 === 3 ? 2 : 1,
  startedAt: now - 1_000 * (5 + index * 13),
  lastSeenAt: now - (index % 5 === 4 ? 250_000 : index * 700),
  silenceAt:
    phases[index % phases.length] === "land"
      ? null
      : now + (index % 5 === 4 ? 50_000 : 300_000 - index * 700),
  silenceMillis: phases[index % phases.length] === "land" ? null : 300_000,
  question: index % 50 === 6 ? "which of the two accounts is meant?" : null,
  lastLine: words[index % words.length] ?? "",
  fraction: index % 4 === 0 ? 0.42 : null,
  spent: { inputTokens: 1_200 * index, outputTokens: 300 * index, cost: index * 0.013 }
})

const host = (slots: number, used: number): HostLook => ({
  host: 3,
  pid: 4_711,
  beating: true,
  answers: true,
  beatAt: now - 1_200,
  mode: "running",
  slots,
  used,
  hung: 0,
  loop: { state: "resting", reason: "no_work", turns: 1_204 },
  bankedAt: now - 14_000,
  trouble: null
})

/** Nothing was ever submitted, no host was ever started. */
export const emptyFleet: FleetLook = {
  at: now,
  via: "store",
  notice: "",
  store: ".muster/fleet.db",
  hosts: [],
  agents: [],
  workflows: [],
  lanes: [],
  retries: [],
  parked: [],
  breakers: [],
  wishes: [],
  letters: [],
  letterCount: 0,
  sequence: 0,
  spent: null,
  run: null
}

/** A fleet in the middle of its work, with something of everything. */
export const fleetOf = (agents: number): FleetLook => ({
  ...emptyFleet,
  via: "hosts",
  hosts: [host(Math.max(4, agents), agents)],
  agents: Array.from({ length: agents }, (_, index) => agent(index)),
  workflows: [
    {
      workflow: "crawl",
      jobs: { ...noJobs, PENDING: 12_400, PROCESSING: agents, COMPLETED: 3_120, DEAD_LETTERED: 2 }
    },
    {
      workflow: "summarise",
      jobs: { ...noJobs, PENDING: 31, RETRY_SCHEDULED: 3, COMPLETED: 88, CANCELLED: 1 }
    }
  ],
  lanes: [
    {
      workflow: "crawl",
      priority: 10,
      waiting: 400,
      more: false,
      oldestSince: now - 65_000,
      nextDueAt: null
    },
    {
      workflow: "crawl",
      priority: 0,
      waiting: 12_000,
      more: true,
      oldestSince: now - 3_900_000,
      nextDueAt: null
    },
    {
      workflow: "summarise",
      priority: 0,
      waiting: 31,
      more: false,
      oldestSince: null,
      nextDueAt: now + 90_000
    }
  ],
  retries: [1, 2, 3].map((index) => ({
    jobId: `k3x9qa-${900 + index}`,
    workflow: "summarise",
    dueAt: now + index * 17_000,
    retryCount: index,
    maxRetries: 4,
    code: index === 2 ? "EXT_RATE_LIMITED" : "EXT_PROCESS_FAILED"
  })),
  parked: [{ jobId: "k3x9qa-871", workflow: "crawl", markers: ["post-comment"], since: now - 600_000 }],
  breakers: [
    { workflow: "crawl", state: "open", openedAt: now - 20_000, probeAt: now + 10_000, failures: 5 }
  ],
  letters: [
    {
      jobId: "k3x9qa-640",
      workflow: "crawl",
      code: "DQ_UNREADABLE",
      summary: "the file is no text",
      at: now - 7_400_000,
      eligible: true,
      replayed: false
    },
    {
      jobId: "k3x9qa-12",
      workflow: "crawl",
      code: "LEGAL_FORBIDDEN",
      summary: "robots.txt",
      at: now - 90_000_000,
      eligible: false,
      replayed: false
    }
  ],
  letterCount: 2,
  sequence: 40_211
})

/** A board of that size that has just had a look. */
export const boardOf = (look: FleetLook, columns: number, rows: number) =>
  takeLook(initial({ columns, rows, now, quits: "board", hasKeys: true }), look, now)
