/**
 * Documents as files: below a directory of the host, or, where a path begins as a package's name does, in that package. Nothing outside of
 * the two is read.
 */
import { open, realpath } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, isAbsolute, join, relative, resolve as resolvePath } from "node:path"
import { Pointers, type PolicyReference, type Resolution } from "@muster/core"
import { Effect, Layer } from "effect"
import { Documents } from "./Documents.ts"

/** A larger file is no policy, in bytes. */
const mostBytes = 1_048_576

const inPackage = /^(@[a-z0-9~._-]+\/[a-z0-9~._-]+)\/(.+)$/

/** The directory of a package, as the host finds it, else as this package does: its own, too. Null: it is not installed. */
const packageRoot = (name: string, root: string): string | null => {
  for (const from of [join(root, "package.json"), import.meta.url])
    try {
      return dirname(createRequire(from).resolve(`${name}/package.json`))
    } catch {
      // not there; the other one may find it
    }
  return null
}

const isInside = (directory: string, path: string): boolean => {
  const way = relative(directory, path)
  return way !== "" && !way.startsWith("..") && !isAbsolute(way)
}

/** The file that a path means; null for one that means none. */
const fileOf = (path: string, root: string): { readonly base: string; readonly file: string } | null => {
  const [, name, rest] = inPackage.exec(path) ?? []
  const base = name === undefined ? root : packageRoot(name, root)
  if (base === null) return null
  const file = resolvePath(base, rest ?? path)
  return isInside(base, file) ? { base, file } : null
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")

type Read = { readonly text: string | null } | "unreadable"

const read = async (path: string, root: string): Promise<Read> => {
  const place = fileOf(path, root)
  if (place === null) return { text: null }
  try {
    // A link out of the directory leads out of what may be read.
    const [base, file] = await Promise.all([realpath(place.base), realpath(place.file)])
    if (!isInside(base, file)) return "unreadable"
    await using handle = await open(file)
    const { size } = await handle.stat()
    return size > mostBytes ? "unreadable" : { text: await handle.readFile("utf8") }
  } catch (error) {
    return isMissing(error) ? { text: null } : "unreadable"
  }
}

const resolveAll = async (
  references: ReadonlyArray<PolicyReference>,
  root: string
): Promise<ReadonlyArray<Resolution>> => {
  const documents = new Map<string, Read>()
  for (const { path } of references) if (!documents.has(path)) documents.set(path, await read(path, root))
  return references.map((reference) => {
    const document = documents.get(reference.path) ?? "unreadable"
    return document === "unreadable" ? document : Pointers.resolve(reference, document.text)
  })
}

/** @param root where paths that name no package begin; the working directory unless given */
export const layer = (root = "."): Layer.Layer<Documents> =>
  Layer.succeed(Documents, {
    resolve: (references) => Effect.promise(() => resolveAll(references, resolvePath(root)))
  })
