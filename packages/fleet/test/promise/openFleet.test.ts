// The fleet behind promises: real time and a store in memory. What an async host sees: values, tagged errors, signals, iterators.
import { ConfigInvalid, JobFailed, type LifecycleEvent, PayloadTypeMismatch } from "@muster/core"
import { Schema } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { type OpenFleetOptions, openFleet } from "../../src/promise/openFleet.ts"
import { workflow } from "../../src/promise/PromiseWorkflow.ts"

class NotProse extends Schema.TaggedError<NotProse>()("DQ_NOT_PROSE", { words: Schema.Int }) {}

const count = workflow("count", {
  errors: NotProse,
  run: async ({ text }: { readonly text: string }, agent) => {
    await agent.progress(`reading ${text}`)
    const words = text.split(" ").length
    if (words < 2) throw new NotProse({ words })
    return { words }
  }
})

/** Works until it is told to stop, and says so. */
const endless = () => {
  const started = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<string>()
  const run = async (_: { readonly n: number }, { signal }: { readonly signal: AbortSignal }) => {
    started.resolve()
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
    stopped.resolve("told")
    return signal.reason
  }
  return { definition: workflow("endless", { run }), started: started.promise, stopped: stopped.promise }
}

const open = async (options: Partial<OpenFleetOptions>) => {
  const fleet = await openFleet({ workflows: [], store: MemoryStore.layer(), ...options })
  onTestFinished(fleet.close)
  return fleet
}

const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("it should have been rejected")
}

describe("openFleet", () => {
  it("answers a typed result, and a duplicate with the stored one", async () => {
    const fleet = await open({ workflows: [count] })
    const job = await fleet.submit(count, { text: "two words" })
    const result: { readonly words: number } = await job.result()
    expect(result).toEqual({ words: 2 })
    const again = await fleet.submit(count, { text: "two words" })
    expect(again).toMatchObject({ jobId: job.jobId, duplicate: true })
    expect(await again.result()).toEqual({ words: 2 })
    expect((await fleet.await(job.jobId)).job.state).toBe("COMPLETED")
    expect((await fleet.snapshot()).mode).toBe("running")
  })

  it("rejects with the tagged error itself: declared ones as they were thrown, others as JobFailed", async () => {
    const fails = workflow("fails", {
      run: async () => {
        throw Object.assign(new Error("no rows"), { _tag: "DQ_NO_ROWS" })
      }
    })
    const fleet = await open({ workflows: [count, fails] })
    const declared = await rejection((await fleet.submit(count, { text: "one" })).result())
    expect(declared).toBeInstanceOf(NotProse)
    expect(declared).toMatchObject({ _tag: "DQ_NOT_PROSE", words: 1 })
    const failed = await rejection((await fleet.submit(fails, {})).result())
    expect(failed).toBeInstanceOf(JobFailed)
    expect(failed).toMatchObject({ code: "DQ_NO_ROWS" })
    const lost = await rejection(fleet.await("nobody-1"))
    expect(lost).toMatchObject({ _tag: "ORCH_JOB_NOT_FOUND" })
  })

  it("holds payloads against their schema where there is one", async () => {
    const strict = workflow("strict", {
      payload: Schema.Struct({ n: Schema.Int }),
      run: async ({ n }) => n * 2
    })
    const fleet = await open({ workflows: [strict] })
    expect(await (await fleet.submit(strict, { n: 21 })).result()).toBe(42)
    expect(await rejection(fleet.submit(strict, { n: 0.5 }))).toBeInstanceOf(PayloadTypeMismatch)
  })

  it("gives up a wait whose signal is aborted, with the signal's reason, and the job goes on", async () => {
    const gate = Promise.withResolvers<void>()
    const waits = workflow("waits", {
      run: async () => {
        await gate.promise
        return "done"
      }
    })
    const fleet = await open({ workflows: [waits] })
    const job = await fleet.submit(waits, {})
    const controller = new AbortController()
    const waiting = rejection(job.result({ signal: controller.signal }))
    const reason = new Error("the client has gone")
    controller.abort(reason)
    expect(await waiting).toBe(reason)
    gate.resolve()
    expect(await job.result()).toBe("done")
  })

  it("cancels the job of an aborted wait only where that is asked for", async () => {
    const { definition, started, stopped } = endless()
    const fleet = await open({ workflows: [definition] })
    const job = await fleet.submit(definition, { n: 1 })
    await started
    const controller = new AbortController()
    const waiting = rejection(job.result({ signal: controller.signal, cancelOnAbort: true }))
    controller.abort()
    expect(await waiting).toMatchObject({ name: "AbortError" })
    expect(await stopped).toBe("told")
    expect((await fleet.await(job.jobId)).job.state).toBe("CANCELLED")
  })

  it("stops its agents when it is disposed of, hands their jobs back unburnt, and ends what waits for it", async () => {
    const store = MemoryStore.layer()
    const { definition, started, stopped } = endless()
    const first = await openFleet({ workflows: [definition], store })
    const job = await first.submit(definition, { n: 1 })
    await started
    const waiting = rejection(job.result())
    await first[Symbol.asyncDispose]()
    expect(await stopped).toBe("told")
    expect(await waiting).toMatchObject({ name: "AbortError" })
    expect(await first.closed).toBeNull()
    expect(await rejection(first.snapshot())).toMatchObject({ name: "AbortError" })
    // another host finds the job as it was: waiting, with its whole budget
    const second = await open({ workflows: [], store })
    const stored = await second.await(job.jobId, { signal: AbortSignal.abort("a look") }).catch(String)
    expect(stored).toBe("a look")
    const tally = (await second.snapshot()).tally.jobs
    expect(tally).toMatchObject([{ state: "RETRY_SCHEDULED", count: 1 }])
  })

  it("closes when the signal that it was opened with is aborted", async () => {
    const controller = new AbortController()
    const fleet = await open({ signal: controller.signal })
    controller.abort()
    expect(await fleet.closed).toBeNull()
    const never = openFleet({ workflows: [], store: MemoryStore.layer(), signal: AbortSignal.abort("no") })
    await expect(never).rejects.toBe("no")
  })

  it("doesn't open with settings that are not valid", async () => {
    const wrong = await rejection(openFleet({ workflows: [], store: MemoryStore.layer(), slots: 0 }))
    expect(wrong).toBeInstanceOf(ConfigInvalid)
    expect(wrong).toMatchObject({ _tag: "ORCH_CONFIG_INVALID", path: "slots" })
  })

  it("tells events to an async iterator, and closes what is behind one that is left early", async () => {
    const fleet = await open({ workflows: [count] })
    const job = await fleet.submit(count, { text: "three little words" })
    const seen: Array<LifecycleEvent> = []
    for await (const event of fleet.events({ after: 0, jobId: job.jobId })) {
      seen.push(event)
      if (event.toState === "COMPLETED") break
    }
    expect(seen.map(({ event }) => event)).toContain("submit")
    const iterator = fleet.events()
    const pending = iterator.next()
    await fleet.close()
    await expect(pending).rejects.toMatchObject({ name: "AbortError" })
  })

  it("does a step once over two attempts, under its own key", async () => {
    const done: Array<string> = []
    const writes = workflow("writes", {
      run: async (_: object, agent) => {
        const id = await agent.once("comment", async (key) => {
          done.push(key)
          return done.length
        })
        if (agent.assignment.attempt === 1) throw Object.assign(new Error("busy"), { _tag: "EXT_MODEL_BUSY" })
        return { id, attempt: agent.assignment.attempt }
      }
    })
    const codes = [{ code: "EXT_MODEL_BUSY", backoffBaseSeconds: 0.001, jitter: 0 }]
    const fleet = await open({ workflows: [writes], codes })
    const job = await fleet.submit(writes, {}, { idempotencyKey: "k" })
    expect(await job.result()).toEqual({ id: 1, attempt: 2 })
    expect(done).toEqual(["k:comment"])
  })

  it("pauses, resumes, scales and drains", async () => {
    const fleet = await open({ workflows: [count] })
    await fleet.pause({ reason: "a look" })
    expect((await fleet.snapshot()).mode).toBe("paused")
    await fleet.resume()
    await fleet.scale(2)
    expect((await fleet.drain()).outcome).toBe("drained")
    expect(await fleet.snapshot()).toMatchObject({ slots: 2, usedSlots: 0 })
    expect(await fleet.agents()).toEqual([])
  })
})
