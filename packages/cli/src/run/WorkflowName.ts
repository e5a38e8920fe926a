/**
 * The name of the workflow of a run that gives none: the program's, and a short hash of the whole command, so that the same command is
 * the same workflow and another one is not (R34).
 */
import { createHash } from "node:crypto"
import { basename } from "node:path"
import { limits } from "@muster/core"

const hashLength = 8

/** What `basename` leaves of a program's name when everything is gone that a name can't hold. */
const plain = (program: string): string =>
  basename(program)
    .replace(/[^\w.+-]+/g, "-")
    .replace(/^[-.]+|-+$/g, "")
    .slice(0, limits.workflowTypeLength - hashLength - 1)

export const ofCommand = (command: ReadonlyArray<string>): string => {
  const hash = createHash("sha256").update(JSON.stringify(command)).digest("hex").slice(0, hashLength)
  return `${plain(command[0] ?? "") || "command"}-${hash}`
}
