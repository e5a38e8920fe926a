/**
 * The plugins of the host, with fault points around each call: workspaces that are folders, a gate that wants the artifact, a lander that
 * appends a line and looks for it when asked, and runners. Each can be broken by a file in the stage's folder.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Gate, Lander, Runner, Workspaces } from "@muster/core"
import { DirectoryWorkspaces } from "@muster/fleet"
import { Data, Effect } from "effect"
import { type ChaosPayload } from "../HostProtocol.ts"
import { around, pass } from "./FaultPoints.ts"
import * as Ledger from "./Ledger.ts"

/** What a workspace holds when the work is done. */
export const artifact = "artifact"

/** Where the archive keeps it. */
export const archived = (folder: string, jobId: string): string => join(folder, "archive", jobId)

/** The file that breaks a plugin for as long as it is there. */
export const breaker = (folder: string, plugin: "gate" | "workspaces" | "lander"): string =>
  join(folder, `break-${plugin}`)

const orBroken = (folder: string, plugin: Parameters<typeof breaker>[1]) =>
  Effect.suspend(() =>
    existsSync(breaker(folder, plugin))
      ? Effect.die(new Error(`the ${plugin} is broken on purpose`))
      : Effect.void
  )

export const workspaces = (folder: string): Workspaces => {
  const plain = DirectoryWorkspaces.make({ root: join(folder, "workspaces") })
  return {
    name: plain.name,
    prepare: (order) =>
      around("prepare", Effect.andThen(orBroken(folder, "workspaces"), plain.prepare(order))),
    check: (workspace) => around("check", plain.check(workspace)),
    find: (ref) => around("find", plain.find(ref)),
    archive: ({ path }, jobId) =>
      around(
        "archive",
        Effect.sync(() => {
          const made = join(path, artifact)
          if (!existsSync(made)) return []
          mkdirSync(join(folder, "archive"), { recursive: true })
          writeFileSync(archived(folder, jobId), readFileSync(made))
          return [archived(folder, jobId)]
        })
      ),
    remove: (ref, disposition) => around("remove", plain.remove(ref, disposition))
  }
}

export const gate = (folder: string): Gate => ({
  name: "artifact",
  check: ({ attempt, payload, workspace }) =>
    around(
      "gate",
      Effect.andThen(
        orBroken(folder, "gate"),
        Effect.sync(() => {
          // Decoded by the workflow's schema before any attempt.
          const { behaviour, times } = payload as ChaosPayload
          if (behaviour === "rejected" && attempt <= times)
            return { _tag: "Reject", reasons: ["not yet"] } as const
          return workspace !== null && existsSync(join(workspace.path, artifact))
            ? ({ _tag: "Pass" } as const)
            : ({ _tag: "Reject", reasons: ["no artifact"] } as const)
        })
      )
    )
})

/**
 * Not idempotent by itself: a landing that the fleet repeats without asking stands in the ledger twice. It refuses a fencing token that is
 * smaller than one it has seen of the job.
 */
class Superseded extends Data.TaggedError("Superseded") {
  override readonly message = "a later host has been here"
}

export const lander = (folder: string): Lander => {
  const of = (jobId: string) => Ledger.lines(folder, "landed").filter(([, job]) => job === jobId)
  return {
    name: "ledger",
    land: ({ assignment: { incarnation, jobId }, fencingToken }) =>
      around(
        "land",
        Effect.andThen(
          orBroken(folder, "lander"),
          Effect.suspend(() => {
            pass("land:inside")
            if (of(jobId).some(([, , , token]) => Number(token) > fencingToken))
              return Effect.fail(new Superseded())
            Ledger.append(folder, "landed", ["landed", jobId, incarnation, fencingToken])
            pass("land:done")
            return Effect.succeed({ _tag: "Landed", reference: jobId } as const)
          })
        )
      ),
    check: ({ assignment: { jobId } }) =>
      around(
        "reconcile",
        Effect.sync(() => (of(jobId).length > 0 ? ("landed" as const) : ("absent" as const)))
      )
  }
}

/** Passes `work:before`, `work:line` at the agent's first word, and `work:after`. */
export const runner = (plain: Runner): Runner => ({
  name: plain.name,
  listens: plain.listens ?? false,
  run: (assignment, emit, markers, mail) => {
    let isFirst = true
    return around(
      "work",
      plain.run(
        assignment,
        (event) => {
          emit(event)
          if (!isFirst) return
          isFirst = false
          pass("work:line")
        },
        markers,
        mail
      )
    )
  }
})
