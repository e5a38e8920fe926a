/**
 * Law 2 at the door of every store: what a unit tells must be moves of the tables, for reasons of their edges, that lead each to the next and
 * to the row that is written; everything else in it is a note. Checked here once, so that no driver has to know the tables.
 */
import { AgentMachine } from "../domain/AgentMachine.ts"
import { JobMachine } from "../domain/JobMachine.ts"
import type { EventDraft } from "../domain/LifecycleEvent.ts"
import * as Machine from "../domain/Machine.ts"
import type { Change } from "../domain/turn/Draft.ts"
import type { Unit } from "./StoreUnit.ts"

const isNote = ({ fromState, toState }: EventDraft): boolean => fromState === null && toState === null

const said = ({ event, fromState, subjectKind, toState, transitionReason }: EventDraft): string =>
  `the ${subjectKind}'s move ${event} from ${fromState} to ${toState} for the reason "${transitionReason}"`

/** The first thing of a change that no table has; null: all is lawful. */
const unlawfulChange = ({ events, job }: Change): string | null => {
  let jobAt: string | null = null
  let agentAt: string | null = null
  for (const event of events) {
    if (isNote(event)) continue
    const ofJob = event.subjectKind === "job"
    const machine = ofJob ? JobMachine : AgentMachine
    // Only an insert creates a job.
    if (event.subjectKind === "host" || (ofJob && event.fromState === null) || !Machine.has(machine, event))
      return `${said(event)} is in no table`
    const at = ofJob ? jobAt : agentAt
    if (at !== null && at !== event.fromState) return `${said(event)} begins where the one before didn't end`
    if (ofJob) jobAt = event.toState
    else agentAt = event.toState
  }
  if (jobAt !== null && jobAt !== job.state)
    return `job ${job.seq} is written as ${job.state}, told as ${jobAt}`
  if (agentAt !== null && agentAt !== (job.agent?.state ?? null))
    return `the agent of job ${job.seq} is written as ${job.agent?.state ?? "none"}, told as ${agentAt}`
  return null
}

/** What in the unit no table has, in words; null: it is lawful. */
export const unlawful = ({ changes, inserts, notes }: Unit): string | null => {
  for (const change of changes ?? []) {
    const found = unlawfulChange(change)
    if (found !== null) return found
  }
  for (const note of notes ?? []) if (!isNote(note)) return `${said(note)} comes without its row`
  for (const insert of inserts ?? [])
    for (const note of insert.notes ?? []) if (!isNote(note)) return `${said(note)} comes without its row`
  return null
}
