/**
 * How much is kept of the lines of agents, as the configuration says.
 */
import { type AgentLogs, LogKeeping } from "@muster/fleet"
import { millisOf } from "./ConfigSchema.ts"
import type { Configured } from "./Configured.ts"

/** @param configured null: there is none, and the defaults hold */
export const logBoundsOf = (configured: Configured | null): AgentLogs.LogBounds => {
  const { logAge, logBytes } = configured?.configuration.config.retention ?? {}
  const { bytes, millis } = LogKeeping.defaultBounds
  return {
    millis: logAge === undefined ? millis : millisOf(logAge),
    bytes: logBytes ?? bytes
  }
}
