/**
 * The tables as people read them: the seed's column names, words for numbers, instants in ISO 8601. `sqlite3 fleet.db 'select * from
 * events'` tells the whole story without any of our programs.
 */
import { agentDispositions, agentPhases, agentStandings, agentStates, jobStates, spelt } from "../Words.ts"

const instant = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`
const jobId = (column: string) => `(SELECT id FROM store) || '-' || ${column}`

/** Names and definitions; a later version drops and makes them again. */
export const views: ReadonlyArray<string> = [
  `CREATE VIEW jobs AS SELECT
    ${jobId("o.seq")} AS job_id,
    coalesce(o.correlation_id, ${jobId("o.seq")}) AS correlation_id,
    o.idempotency_key,
    w.name AS workflow_type,
    ${spelt("s.state", jobStates)} AS current_state,
    ${instant("o.created_at")} AS created_at,
    ${instant("s.updated_at")} AS updated_at,
    s.retry_count,
    o.max_retries,
    s.last_error_code,
    s.hold,
    CASE WHEN s.agent_state IS NOT NULL THEN 'agent:' || ${jobId("o.seq")} END AS owner_agent,
    o.trace_context,
    o.payload_fingerprint,
    o.priority,
    ${instant("s.run_at")} AS run_at,
    CASE WHEN o.replay_of IS NOT NULL THEN ${jobId("o.replay_of")} END AS replay_of,
    CASE WHEN o.superseded_by IS NOT NULL THEN ${jobId("o.superseded_by")} END AS superseded_by,
    s.version,
    e.result,
    o.payload
  FROM job_origin o
  JOIN workflow w USING (workflow)
  JOIN job_state s ON (s.workflow, s.priority, s.seq) = (o.workflow, o.priority, o.seq)
  LEFT JOIN job_end e ON e.ending = s.ending`,

  `CREATE VIEW agents AS SELECT
    'agent:' || ${jobId("o.seq")} AS agent_id,
    ${jobId("o.seq")} AS job_id,
    ${spelt("s.agent_state", agentStates)} AS current_state,
    ${spelt("s.standing", agentStandings)} AS standing,
    ${spelt("s.phase", agentPhases)} AS phase,
    s.incarnation,
    s.owner_host,
    s.owner_epoch,
    s.hung,
    s.restarts,
    s.steps,
    s.workspace,
    ${spelt("s.disposition", agentDispositions)} AS disposition
  FROM job_origin o
  JOIN job_state s ON (s.workflow, s.priority, s.seq) = (o.workflow, o.priority, o.seq)
  WHERE s.agent_state IS NOT NULL`,

  `CREATE VIEW events AS SELECT
    (SELECT id FROM store) || '-e' || e.sequence AS event_id,
    e.sequence,
    m.subject_kind,
    CASE WHEN e.job IS NOT NULL THEN ${jobId("e.job")} END AS job_id,
    CASE WHEN e.job IS NOT NULL THEN coalesce(o.correlation_id, ${jobId("e.job")}) END AS correlation_id,
    m.event,
    m.from_state,
    m.to_state,
    m.reason AS transition_reason,
    e.error_code,
    CASE e.actor WHEN 0 THEN 'agent:' || ${jobId("e.job")} ELSE a.name END AS actor,
    ${instant("e.occurred_at")} AS occurred_at,
    e.incarnation,
    e.detail
  FROM event e
  LEFT JOIN move m USING (move)
  LEFT JOIN actor a USING (actor)
  LEFT JOIN job_origin o ON o.seq = e.job`
]
