/**
 * What stands around a job: the hosts that give a sign of life, with their slots, and what holds work back.
 */
import { Intent, Store } from "@muster/core"
import { Operations, Standing } from "@muster/fleet"
import * as Effect from "effect/Effect"
import type { Surroundings } from "../explain/Blockers.ts"
import { breakerJson } from "../json/BreakerJson.ts"
import { bankedScarcity, bankedSlots, bankedWorkflows } from "../json/WishJson.ts"
import { openBreakers } from "./Breakers.ts"
import { isBeating, openHosts } from "./Hosts.ts"
import { allRows } from "./Pages.ts"
import type { Story } from "./Story.ts"

const waits = ({ job }: Story): boolean => job.state === "PENDING" || job.state === "RETRY_SCHEDULED"

/** What holds the jobs of its workflow back while it waits; null: nothing. */
export const breakerOf = Effect.fnUntraced(function* (story: Story) {
  if (!waits(story)) return null
  const open = yield* openBreakers
  const mine = open.find(({ workflow_type }) => workflow_type === story.job.workflowType)
  return mine === undefined ? null : breakerJson(mine)
})

/** Until when the outside asked for patience: what the last row of the retry log says, while the job waits for it. */
export const heldUntilOf = (story: Story, now: number): number | null => {
  const last = story.retries.at(-1)
  const held = waits(story) && last?.burned === 0 && last.next_at === story.job.runAt && last.next_at > now
  return held ? story.job.runAt : null
}

export const surroundingsOf = Effect.fnUntraced(function* (story: Story, now: number) {
  const store = yield* Store
  const open = yield* Operations.openIntents(store)
  const banks = yield* allRows(
    (after, limit) => store.records({ kind: "banks", job: null, after, limit }),
    ({ cursor }) => cursor
  )
  const beating = (yield* openHosts).filter((host) => isBeating(host, now))
  const hosts = (yield* Standing.withSlots(store, beating)).map(({ row: { host }, usedSlots }) => {
    const control = Intent.controlOf(open, host)
    const bank = banks.find(({ row }) => row.host === host)?.row.bank ?? null
    return {
      host,
      slots: control.slots ?? (bank === null ? null : bankedSlots(bank)),
      usedSlots,
      draining: Intent.modeOf(control, false) === "draining",
      scarce: bank === null ? null : bankedScarcity(bank),
      serves: bank === null ? null : (bankedWorkflows(bank)?.has(story.job.workflowType) ?? null)
    }
  })
  const found: Surroundings = {
    now,
    pausedBy: Intent.pausesOf(open).map(({ actor }) => actor),
    breaker: yield* breakerOf(story),
    heldUntil: heldUntilOf(story, now),
    hosts
  }
  return found
})
