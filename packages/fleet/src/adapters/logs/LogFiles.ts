/**
 * The files of kept lines: `<store>.logs/<job id>.log`, and the part before it as `<job id>.log.1`. One that becomes too large takes the place of
 * the part before it, so that the newest half of what an agent may keep is always there.
 */
import { lstat, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { limits } from "@muster/core"
import { realFile } from "../../control/SocketPath.ts"

/** Rights of the folder and its files: what agents say is their owner's alone. */
export const folderMode = 0o700
export const fileMode = 0o600

/** A file that would become larger is moved away first, in bytes. */
export const partBytes = limits.agentLogBytes / 2

/** The folder of a store's logs. */
export const folderOf = (store: string): string => `${realFile(store)}.logs`

/** Job ids are names of files; another one is kept nowhere. */
const plainName = /^[A-Za-z0-9][\w-]{0,127}$/

export const isPlain = (jobId: string): boolean => plainName.test(jobId)

export const fileOf = (folder: string, jobId: string): string => join(folder, `${jobId}.log`)

/** Where the part before is. */
export const before = (file: string): string => `${file}.1`

export interface LogFile {
  readonly path: string
  readonly jobId: string
  readonly bytes: number
  /** When it was last written, epoch ms. */
  readonly at: number
}

/** How many files are looked at at the same time. */
const abreast = 16

const fileIn = async (folder: string, name: string): Promise<ReadonlyArray<LogFile>> => {
  const jobId = /^(.+)\.log(?:\.1)?$/.exec(name)?.[1]
  if (jobId === undefined || !isPlain(jobId)) return []
  const path = join(folder, name)
  try {
    const found = await lstat(path)
    return found.isFile() ? [{ path, jobId, bytes: found.size, at: found.mtimeMs }] : []
  } catch {
    // gone in the meantime
    return []
  }
}

/** All files of kept lines; none where there is no folder, or it can't be read. */
export const list = async (folder: string): Promise<ReadonlyArray<LogFile>> => {
  const names = await readdir(folder).catch((): ReadonlyArray<string> => [])
  const found: Array<LogFile> = []
  for (let from = 0; from < names.length; from += abreast) {
    const some = names.slice(from, from + abreast)
    // oxlint-disable-next-line no-await-in-loop -- a few at a time: a folder may hold a million
    found.push(...(await Promise.all(some.map((name) => fileIn(folder, name)))).flat())
  }
  return found
}

/** False: it can't be removed. */
export const remove = async ({ path }: LogFile): Promise<boolean> => {
  try {
    await rm(path, { force: true })
    return true
  } catch {
    return false
  }
}
