/**
 * What the store's rows tell of the fleet, at a cost that doesn't grow with it: enough to be useful when no host answers, and the half that
 * hosts don't tell themselves.
 */
import {
  type HostRow,
  Intent,
  type IntentRow,
  type Job,
  JobMachine,
  type JobState,
  readHold,
  Store,
  type TallyRows,
  usedSlots
} from "@muster/core"
import { Operations } from "@muster/fleet"
import { sampleQueue } from "@muster/fleet/control"
import { Clock, Effect } from "effect"
import { parsed } from "../../json/Parsed.ts"
import { noJobs } from "../../json/StatusJson.ts"
import { bankedSlots } from "../../json/WishJson.ts"
import { openBreakers } from "../../store/Breakers.ts"
import { isBeating, openHosts } from "../../store/Hosts.ts"
import { allRows } from "../../store/Pages.ts"
import type {
  AgentLook,
  BreakerLook,
  FleetLook,
  HostLook,
  ParkedLook,
  RetryLook,
  WishLook,
  WorkflowLook
} from "../FleetLook.ts"
import { lanesOf } from "./Lanes.ts"
import { letterTail } from "./LetterTail.ts"

export const workflowsOf = (rows: TallyRows["jobs"]): ReadonlyArray<WorkflowLook> => {
  const byName = new Map<string, Record<JobState, number>>()
  for (const { count, state, workflow_type } of rows) {
    const known = JobMachine.states.find((name) => name === state)
    const jobs = byName.get(workflow_type) ?? { ...noJobs }
    if (known !== undefined) jobs[known] += count
    byName.set(workflow_type, jobs)
  }
  return Array.from(byName, ([workflow, jobs]) => ({ workflow, jobs })).toSorted((a, b) =>
    a.workflow < b.workflow ? -1 : 1
  )
}

const retryOf = ({
  jobId: id,
  lastErrorCode,
  maxRetries,
  retryCount,
  runAt,
  workflowType
}: Job): RetryLook => ({
  jobId: id,
  workflow: workflowType,
  dueAt: runAt,
  retryCount,
  maxRetries,
  code: lastErrorCode
})

const parkedOf = ({ hold, jobId: id, workflowType }: Job): ReadonlyArray<ParkedLook> => {
  const held = readHold(hold)
  return held === null ? [] : [{ jobId: id, workflow: workflowType, markers: held.markers, since: held.at }]
}

const wishOf =
  (kind: WishLook["kind"]) =>
  (row: IntentRow): WishLook => ({
    kind,
    host: row.host,
    actor: row.actor,
    since: row.requested_at,
    reason: Operations.saidReason(row) ?? ""
  })

const wishesOf = (open: ReadonlyArray<IntentRow>): ReadonlyArray<WishLook> => [
  ...Intent.pausesOf(open).map(wishOf("pause")),
  ...Intent.drainsOf(open).map(wishOf("drain"))
]

const nothingSpent = { inputTokens: null, outputTokens: null, cost: null }

const agentOf = ({ agent, jobId: id, retryCount, updatedAt, workflowType }: Job): ReadonlyArray<AgentLook> =>
  agent === null || agent.owner === null || agent.phase === null
    ? []
    : [
        {
          jobId: id,
          workflow: workflowType,
          host: agent.owner.host,
          state: agent.state,
          phase: agent.phase,
          incarnation: agent.incarnation,
          attempt: retryCount + 1,
          startedAt: updatedAt,
          lastSeenAt: null,
          silenceAt: null,
          silenceMillis: null,
          question: null,
          lastLine: "",
          fraction: null,
          spent: nothingSpent
        }
      ]

const pidOf = (identity: string): number | null => {
  const value = parsed(identity)
  const pid: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "pid") : null
  return typeof pid === "number" ? pid : null
}

interface HostFacts {
  readonly open: ReadonlyArray<IntentRow>
  readonly banks: ReadonlyArray<{ readonly host: number; readonly at: number; readonly bank: string }>
  readonly owned: ReadonlyArray<Job>
  readonly now: number
}

const hostOf = (row: HostRow, { banks, now, open, owned }: HostFacts): HostLook => {
  const control = Intent.controlOf(open, row.host)
  const bank = banks.find(({ host }) => host === row.host)
  return {
    host: row.host,
    pid: pidOf(row.identity),
    beating: isBeating(row, now),
    answers: false,
    beatAt: row.beat_at,
    mode: Intent.modeOf(control),
    slots: control.slots ?? (bank === undefined ? null : bankedSlots(bank.bank)),
    used: usedSlots(new Map(owned.map((job) => [job.seq, job]))),
    hung: owned.filter(({ agent }) => agent?.hung === true).length,
    loop: null,
    bankedAt: bank?.at ?? null,
    trouble: null
  }
}

/** `read` reads one look; what an earlier one has read of the letters is not read again. */
export const make = Effect.gen(function* () {
  const store = yield* Store
  const letters = yield* letterTail
  const queue = Effect.fnUntraced(function* (workflows: ReadonlyArray<WorkflowLook>, now: number) {
    const counts = workflows.map(({ jobs, workflow }) => ({
      workflow,
      pending: jobs.PENDING,
      scheduled: jobs.RETRY_SCHEDULED
    }))
    const { scheduled, waiting } = yield* sampleQueue(store, counts, now)
    return { lanes: lanesOf(waiting, workflows, now), retries: scheduled }
  })

  const read = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const tally = yield* store.tally(now)
    const workflows = workflowsOf(tally.jobs)
    const open = yield* Operations.openIntents(store)
    const rows = yield* openHosts
    const banks =
      rows.length === 0
        ? []
        : (yield* allRows(
            (after, limit) => store.records({ kind: "banks", job: null, after, limit }),
            ({ cursor }) => cursor
          )).map(({ row }) => row)
    const hosts = yield* Effect.forEach(rows, (row) =>
      Effect.map(store.agents({ by: "owner", host: row.host, epoch: row.epoch }), (owned) => ({
        look: hostOf(row, { open, banks, owned, now }),
        owned
      }))
    )
    const { lanes, retries } = yield* queue(workflows, now)
    const breakers = (yield* openBreakers).map(
      ({ failures, opened_at, probe_at, state, workflow_type }): BreakerLook => ({
        workflow: workflow_type,
        state: state === "half_open" ? "half_open" : "open",
        openedAt: opened_at ?? now,
        probeAt: probe_at ?? now,
        failures
      })
    )
    const look: FleetLook = {
      at: now,
      via: "store",
      notice: "",
      store: store.name,
      hosts: hosts.map((host) => host.look),
      agents: hosts.flatMap(({ owned }) => owned.flatMap(agentOf)),
      workflows,
      lanes,
      retries: retries
        .filter(({ hold }) => hold === null)
        .map(retryOf)
        .toSorted((a, b) => a.dueAt - b.dueAt),
      parked: retries.flatMap(parkedOf),
      breakers,
      wishes: wishesOf(open),
      letters: yield* letters(tally.letters),
      letterCount: tally.letters,
      sequence: tally.sequence,
      spent: null,
      run: null
    }
    return look
  })
  return { read }
})
