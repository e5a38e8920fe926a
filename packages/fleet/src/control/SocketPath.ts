/**
 * Where a host's socket is: in a folder beside its store, `<store>.hosts/<host>.sock`. Where that path is longer than a socket's may be, or the
 * folder can't hold sockets, it is in a folder of the user's own among the temporary files, and `<store>.hosts/<host>.at` says where.
 */
import { createHash } from "node:crypto"
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { Config, Effect, Option } from "effect"

/** What macOS takes of a socket's path, in bytes, without the zero that ends it; Linux takes a few more. */
export const longestPath = 103

/** Rights of folders and files: their owner's alone. */
export const folderMode = 0o700
export const fileMode = 0o600

const self = (): number => process.getuid?.() ?? -1

/** The file itself, wherever links lead to it from: two names of one store have one folder. */
export const realFile = (store: string): string => {
  try {
    return realpathSync(store)
  } catch {
    // The file is not there yet: its folder may be.
    try {
      return join(realpathSync(dirname(store)), basename(store))
    } catch {
      return store
    }
  }
}

/** The folder of a store's sockets. */
export const folderOf = (store: string): string => `${realFile(store)}.hosts`

export const fits = (path: string): boolean => Buffer.byteLength(path) <= longestPath

const parent = (place: string): string => join(place, `muster-${self()}`)

/** A folder of the user's own for the sockets of one store, among the temporary files. */
export const shortFolderOf = Effect.fnUntraced(function* (store: string) {
  const given = yield* Effect.option(Config.String("XDG_RUNTIME_DIR"))
  const runtime = Option.getOrElse(given, () => "")
  const hash = createHash("sha256").update(folderOf(store)).digest("hex").slice(0, 16)
  const wanted = join(parent(runtime === "" ? tmpdir() : runtime), hash)
  // Some systems have temporary folders with long names.
  return fits(join(wanted, "9999999999.sock")) ? wanted : join(parent("/tmp"), hash)
})

/** Whether the folder is the user's own and nobody else gets in. */
export const isPrivate = (folder: string): boolean => {
  try {
    const found = lstatSync(folder)
    return found.isDirectory() && found.uid === self() && (found.mode & 0o077) === 0
  } catch {
    return false
  }
}

/** Makes the folder, for its owner alone; throws where it can't be the user's own. */
export const ownFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { mode: folderMode })
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  }
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== self()) throw new Error(`${folder} is somebody else's`)
  if ((found.mode & 0o777) !== folderMode) chmodSync(folder, folderMode)
}

/** A socket that a host has made. */
export interface Found {
  readonly host: number
  readonly path: string
  /** The file beside the store that names it: the socket itself, or the pointer to it. */
  readonly entry: string
}

const hostIn = (name: string): number | null => {
  const number = /^([1-9]\d{0,14})\.(?:sock|at)$/.exec(name)?.[1]
  return number === undefined ? null : Number(number)
}

/** The path that a pointer names; null for none. */
const pointedAt = (entry: string): string | null => {
  try {
    const path = readFileSync(entry, "utf8").trim()
    return path === "" || !fits(path) ? null : path
  } catch {
    return null
  }
}

/** What is beside the store, by the number of its host. Nobody has been asked yet whether they live. */
export const sockets = (store: string): ReadonlyArray<Found> => {
  const folder = folderOf(store)
  let names: ReadonlyArray<string>
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names
    .flatMap((name): ReadonlyArray<Found> => {
      const host = hostIn(name)
      const entry = join(folder, name)
      const path = name.endsWith(".at") ? pointedAt(entry) : entry
      return host === null || path === null ? [] : [{ host, path, entry }]
    })
    .toSorted((a, b) => a.host - b.host)
}

/** Whether it is a socket of the user's own, in a folder of the user's own: nobody else can have put it there. */
export const isOwn = ({ path }: Found): boolean => {
  try {
    const found = statSync(path)
    return found.isSocket() && found.uid === self() && isPrivate(dirname(path))
  } catch {
    return false
  }
}
