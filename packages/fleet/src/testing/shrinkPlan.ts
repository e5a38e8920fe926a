/**
 * Smaller plans that still fail: what is left out changes nothing that is drawn for the rest, so the story stays as like itself as it can.
 */
import { Effect } from "effect"
import type { Plan } from "./Plan.ts"

const without = <A>(items: ReadonlyArray<A>, index: number, count: number): ReadonlyArray<A> => [
  ...items.slice(0, index),
  ...items.slice(index + count)
]

/** Each smaller by one part, the largest parts first. */
function* smaller(plan: Plan): Generator<Plan> {
  for (let count = Math.max(1, plan.acts.length >> 1); count >= 1; count >>= 1)
    for (let index = plan.acts.length - count; index >= 0; index -= count)
      yield { ...plan, acts: without(plan.acts, index, count) }
  for (let count = Math.max(1, plan.jobs.length >> 1); count >= 1; count >>= 1)
    for (let index = plan.jobs.length - count; index >= 0; index -= count)
      yield { ...plan, jobs: without(plan.jobs, index, count) }
  const { trouble } = plan
  if (trouble.busy > 0) yield { ...plan, trouble: { ...trouble, busy: 0 } }
  if (trouble.brokenBefore > 0) yield { ...plan, trouble: { ...trouble, brokenBefore: 0 } }
  if (trouble.brokenAfter > 0) yield { ...plan, trouble: { ...trouble, brokenAfter: 0 } }
  if (trouble.latencyMillis > 0) yield { ...plan, trouble: { ...trouble, latencyMillis: 0 } }
  if (plan.repeated > 0) yield { ...plan, repeated: 0 }
  for (const [index, job] of plan.jobs.entries())
    if (job.lives.length > 0) {
      const simpler = { ...job, lives: job.lives.slice(0, -1) }
      yield { ...plan, jobs: plan.jobs.map((other, place) => (place === index ? simpler : other)) }
    }
}

/** Leaves out what can be left out while `fails` still says so; asks it so often at most. */
export const shrinkPlan = Effect.fnUntraced(function* <E, R>(
  plan: Plan,
  fails: (plan: Plan) => Effect.Effect<boolean, E, R>,
  most: number
) {
  let smallest = plan
  let asked = 0
  for (let shrunk = true; shrunk;) {
    shrunk = false
    for (const candidate of smaller(smallest)) {
      if (asked++ >= most) return smallest
      if (!(yield* fails(candidate))) continue
      smallest = candidate
      shrunk = true
      break
    }
  }
  return smallest
})
