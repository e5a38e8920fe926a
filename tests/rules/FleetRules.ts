/**
 * What happens in every corner of a fleet, one sentence a rule. Code, tests and decision records cite a rule by its number; a test that holds
 * one says so at the end of its name: "… (R17)". The page docs/reference/rules.md is made from this list and from those names.
 */

export interface FleetRule {
  /** Cited as R1, R2, …; never given to another rule. */
  readonly number: number
  readonly sentence: string
}

const sentences: ReadonlyArray<string> = [
  "A job is PROCESSING exactly while a host that is not fenced has its agent dispatched or working; the commit that abandons, lands or dispatches an agent moves its job too, and no job rests in VALIDATING.",
  "Failures, crashes, silences, deadlines and rejections burn an attempt. The loss of a host burns none and counts in the restart budget, which finished work renews; shutdowns, holds, open breakers, broken plugins and full disks do neither.",
  "The smaller budget of job and code bounds the attempts. What fails for good is quarantined in the same commit unless the code's row says otherwise, and a letter that is mandatory can't be configured or pruned away.",
  "An incarnation holds its slot from its dispatch until its finalisers are done or it is declared hung, a field and no state; as many hung ones as slots stop the refilling.",
  "A first incarnation works when its workspace stands and is sound, a later one from its start; finished work is verified and not done again, and a hung one's successor gets another workspace.",
  "Host, epoch and incarnation in its row say who owns an agent; a marker is a step that is started or done.",
  "The larger priority starts first, then the earlier due time, then order of arrival; retries and recoveries keep their priority.",
  "A turn is committed whole or not at all, but for refilled jobs that another host has won and submissions that are there already; epoch and versions are both checked, and a row that has moved is ownership lost.",
  "A job is untouched until the one commit that validates, accepts and dispatches it; runnable is what is unowned, due, waiting, and of a workflow that is served.",
  "Each commit advances its host's turn, which tells after an uncertain answer whether it has happened.",
  "Each command follows from a row, so that a crash before it is made good; signals are levels, and the durable value counts.",
  "Ids and draws derive from the store and a seed. Events say who moved, from where, why, by whom and when, in order; what moves nothing is a note.",
  "The loop's moves are not stored. Its mode is running, paused, draining or stopping, and breakers, parked jobs and scarcity hold work back.",
  "A host at rest sees within 100 ms what another process wrote; control comes before completions, completions before submissions, which wait for room; each turn lets the event loop go on.",
  "SQLite blocks a host for 20 ms at most, a command for 5 s; commits are cut to 1,000 changes and about 10 ms; what agents only say is never committed.",
  "A store is twelve operations on encoded rows; without a fence one may submit, want, and move what nobody owns.",
  "One job has a key, the newest of its chain; the same payload is answered with that job, another one is a conflict, and neither changes anything.",
  "A row that can't be decoded walks the legal edges to a letter that keeps it; of a job that is over it is a note.",
  "A host is lost when its beat stood still for a lease on the observer's own clock, or when it is proven gone; a probe that fails proves nothing, and adoption goes on at every renewal.",
  "A fenced or frozen host writes nothing, lands nothing and begins no step; only processes that carry its token are killed, before their work starts anew.",
  "While renewals fail for want of a store nothing new begins and nothing is killed.",
  "Pauses and resumes are the fleet's, drains and scales a host's or all hosts'; a pause lets work land, and starts after it are spread.",
  "A host takes work of its own workflows alone, and a type that nobody serves is named; what a dead host has landed is archived and cleaned without a move.",
  "A waiting job is cancelled without a slot or a running host, and a request that is repeated is answered as the first time.",
  "A gate's rejection burns an attempt and hands its reasons on; a broken gate alone is asked again, for a bounded time, and has passed nothing.",
  "Of a cancel and the start of a landing the first one wins; a cancel that came too late is made good when the landing fails.",
  "Only its lander settles a landing: one that nobody knows of is asked about before anything else, bounded, then quarantined; a conflict leaves the target alone and is tried once more on the new base.",
  "A step's start is committed before its effect; one that has started and not finished is rerun, failed or asked about, as the workflow says, and asked about by default.",
  "Operators, callers, parents and a shutdown's policy cancel; no failure does.",
  "Clean-up that fails is repeated, then its workspace is kept and named; a tombstone says how work ended and what is left, and nothing unsaved is removed without a record.",
  "A letter, a failed or a cancelled job is replayed once, with what it has finished unless it is wanted fresh; whether it may be is its code's row's and then an operator's word, and its payload is kept as long as the letter.",
  "A process is told its payload on standard input and answers in lines: the last result counts, an error line before the exit, a bad exit before a result.",
  "What a payload lacks fails as a contract, other braces stay, and doubled ones write one.",
  "A command on the command line names its workflow; a run works all jobs of it and answers for its own lines.",
  "A beat is life and no progress; who waits for an answer is not silent, and fails after its limit.",
  "Payloads, results, lines, reasons and logs have limits with codes, and secrets reach no event, error or log."
]

export const fleetRules: ReadonlyArray<FleetRule> = sentences.map((sentence, index) => ({
  number: index + 1,
  sentence
}))
