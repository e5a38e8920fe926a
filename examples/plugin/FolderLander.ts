// A lander: a result comes home as a file. It is named by the job's key, so that landing twice is landing once, and `check` can tell.
import { access, link, mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Lander, type LandingOrder, PluginFailed } from "@muster/core"
import { Effect } from "effect"

const attempt = <A>(operation: string, act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (cause) => new PluginFailed({ plugin: "desk", operation, detail: String(cause) })
  })

export const folderLander = (folder: string): Lander => {
  const fileOf = ({ assignment }: LandingOrder) =>
    join(folder, `${encodeURIComponent(assignment.idempotencyKey)}.json`)
  return {
    name: "folder",
    land: Effect.fnUntraced(function* (order) {
      const file = fileOf(order)
      const draft = `${file}.${order.fencingToken}-${order.assignment.incarnation}`
      yield* attempt("Lander.land", async () => {
        await mkdir(folder, { recursive: true })
        await writeFile(draft, order.result)
        // whole or not at all, and only where nothing is yet
        await link(draft, file).catch((cause: unknown) => access(file).catch(() => Promise.reject(cause)))
        await rm(draft, { force: true })
      })
      return { _tag: "Landed", reference: file }
    }),
    check: (order) =>
      Effect.map(Effect.isSuccess(attempt("Lander.check", () => access(fileOf(order)))), (there) =>
        there ? "landed" : "absent"
      )
  }
}
