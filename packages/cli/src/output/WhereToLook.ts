/**
 * The command that shows what a finding speaks of.
 */
import type { Finding } from "@muster/core"

export const whereToLook = ({ subject }: Pick<Finding, "subject">): string => {
  const job = /^(?:job|agent):.*-(\d+)$/.exec(subject)?.[1]
  if (job !== undefined) return `muster show ${job}`
  const event = /^event:.*-e(\d+)$/.exec(subject)?.[1]
  if (event !== undefined) return `muster events --after ${Number(event) - 1} --limit 1`
  return "muster status"
}
