/**
 * Whether the disk of the store has room left: in bytes, and in files.
 */
import { existsSync, statfsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { size } from "../output/Bytes.ts"
import { type Diagnosis, of } from "./Diagnosis.ts"

/** What is left of the disk, and how much there is. */
export interface Room {
  readonly bytes: number
  readonly ofBytes: number
  /** Files that can still be made; null where the file system doesn't count them. */
  readonly files: number | null
  readonly ofFiles: number | null
}

const bounds = { warnBytes: 1_073_741_824, badBytes: 67_108_864, part: 0.05, badFiles: 100 } as const

const { bad, ok, warn } = of("disk")

const advice = "make room: muster prune, or a larger disk. A full one suspends hosts until there is room"

const percent = (part: number, whole: number): string => `${Math.floor((100 * part) / Math.max(1, whole))} %`

export const diskDiagnosis = (room: Room, folder: string): Diagnosis => {
  const { bytes, files, ofBytes, ofFiles } = room
  const left = `${size(bytes)} (${percent(bytes, ofBytes)}) are free at ${folder}`
  if (bytes < bounds.badBytes) return bad(left, advice)
  if (files !== null && files < bounds.badFiles)
    return bad(`only ${files} files can be made at ${folder}`, advice)
  if (files !== null && ofFiles !== null && files < bounds.part * ofFiles)
    return warn(`only ${files} files (${percent(files, ofFiles)}) can be made at ${folder}`, advice)
  return bytes < bounds.warnBytes || bytes < bounds.part * ofBytes ? warn(left, advice) : ok(left)
}

/** The folder, or where it would be made. */
const existing = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder))

export const checkDisk = (file: string): Diagnosis => {
  const folder = existing(dirname(resolve(file)))
  try {
    const { bavail, blocks, bsize, ffree, files } = statfsSync(folder)
    return diskDiagnosis(
      {
        bytes: bavail * bsize,
        ofBytes: blocks * bsize,
        files: files === 0 ? null : ffree,
        ofFiles: files === 0 ? null : files
      },
      folder
    )
  } catch (error) {
    return warn(
      `nothing is known of the disk of ${folder}: ${error instanceof Error ? error.message : String(error)}`,
      null
    )
  }
}
