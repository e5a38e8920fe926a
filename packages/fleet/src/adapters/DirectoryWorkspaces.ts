/**
 * Workspaces that are plain directories below one root: one a job, and another one after a hung incarnation, whose processes may still be
 * writing into the old one (R5). A reference is the path. They are scratch: what a job shall leave is its result, so the teardown removes
 * them with all that is in them, unless they are to be kept.
 */
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { access, chmod, mkdir, readdir, rm, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { PluginFailed, type Workspace, type WorkspaceOrder, type Workspaces } from "@muster/core"
import { Effect } from "effect"

export interface DirectoryWorkspacesOptions {
  /** Made when it is missing. Nothing outside it is ever touched. */
  readonly root: string
  /**
   * `never` (default) removes each workspace at its agent's tombstone; `failed` leaves those of quarantined jobs to be looked at, `always`
   * leaves all. What is left is named in the tombstone record.
   */
  readonly keep?: "always" | "failed" | "never"
}

/** The name by which workflows ask for it. */
export const name = "directory"

const failed = (operation: string, detail: string, cause?: unknown) =>
  new PluginFailed({
    plugin: name,
    operation: `Workspaces.${operation}`,
    detail,
    ...(cause === undefined ? {} : { cause })
  })

const attempt = <A>(operation: string, act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (cause) => failed(operation, cause instanceof Error ? cause.message : String(cause), cause)
  })

/** Fits every file system; an id that doesn't is named by its hash. */
const plainName = /^[A-Za-z0-9][\w.-]{0,127}$/

const folderName = (jobId: string): string =>
  plainName.test(jobId) ? jobId : createHash("sha256").update(jobId).digest("hex")

const isDirectory = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

/** Agents make folders without the right to write, as package caches do; nothing in them can be removed. */
const unlock = async (folder: string): Promise<void> => {
  await chmod(folder, 0o700)
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries) if (entry.isDirectory()) await unlock(join(folder, entry.name))
}

/**
 * All places of the job that this one belongs to: a life that was lost between making its place and the commit that tells of it has left one
 * that no row knows, and so has a hung one.
 */
const placesOf = async (path: string): Promise<ReadonlyArray<string>> => {
  const root = dirname(path)
  const folder = basename(path).replace(/\.\d+$/, "")
  const isPlace = (entry: string) =>
    entry === folder || (entry.startsWith(`${folder}.`) && /\.\d+$/.test(entry))
  const others = (await isDirectory(root)) ? (await readdir(root)).filter(isPlace) : []
  return others.map((entry) => join(root, entry))
}

const removeTree = async (path: string): Promise<void> => {
  const options = { recursive: true, force: true, maxRetries: 3 } as const
  try {
    await rm(path, options)
  } catch {
    await unlock(path)
    await rm(path, options)
  }
}

export const make = (options: DirectoryWorkspacesOptions): Workspaces => {
  const root = resolve(options.root)

  /** The place that a reference names, if it is one of ours: a folder right below the root. */
  const ours = (operation: string, ref: string) => {
    const path = resolve(ref)
    return dirname(path) === root && path !== root
      ? Effect.succeed<Workspace>({ ref: path, path })
      : Effect.fail(failed(operation, `${ref} is not a workspace below ${root}`))
  }

  const place = ({ incarnation, jobId }: WorkspaceOrder): string => {
    const folder = folderName(jobId)
    return join(root, incarnation === 1 ? folder : `${folder}.${incarnation}`)
  }

  return {
    name,
    prepare: Effect.fnUntraced(function* (order) {
      const workspace = yield* ours("prepare", order.previous ?? place(order))
      yield* attempt("prepare", () => mkdir(workspace.path, { recursive: true }))
      return workspace
    }),
    check: Effect.fnUntraced(function* ({ ref }) {
      const { path } = yield* ours("check", ref)
      if (!(yield* attempt("check", () => isDirectory(path))))
        return yield* failed("check", `${path} is not a directory`)
      return yield* attempt("check", () => access(path, constants.R_OK | constants.W_OK | constants.X_OK))
    }),
    find: Effect.fnUntraced(function* (ref) {
      const workspace = yield* ours("find", ref)
      return (yield* attempt("find", () => isDirectory(workspace.path))) ? workspace : null
    }),
    archive: ({ ref }) => Effect.as(ours("archive", ref), []),
    remove: Effect.fnUntraced(function* (ref, disposition) {
      const { path } = yield* ours("remove", ref)
      const keeps = options.keep === "always" || (options.keep === "failed" && disposition === "quarantined")
      if (keeps && (yield* attempt("remove", () => isDirectory(path))))
        return { _tag: "Kept", at: path, reason: "the host keeps its workspaces" } as const
      yield* attempt("remove", async () => {
        await Promise.all((await placesOf(path)).map(removeTree))
      })
      return { _tag: "Removed" } as const
    })
  }
}
