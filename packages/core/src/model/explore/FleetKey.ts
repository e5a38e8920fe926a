/**
 * The key of a world: two worlds of one key do the same from then on, but for names. What is left out can't influence what follows:
 *
 * - instants: a job that goes on is due or not (waits may end in any order), all recoveries lie in one window, and nothing else is compared with the clock;
 * - versions: a row that somebody has read is what it was, or isn't; epochs: a host runs, in which order they came, or it is over;
 * - incarnations: of the living one, or of an earlier one; names of workspaces and results: which of them are the same;
 * - order in mailboxes, since a turn may take any signal; what was taken, since a signal that comes again is given again when it is taken;
 * - the history (events, retries, notes), which nothing reads: of each step it is looked at before it is dropped;
 * - of a job whose agent is tombstoned what nobody reads any more; numbers of jobs and hosts, where `symmetric`.
 *
 * packages/core/test/model/normal.test.ts holds it to that: what follows on a world and on what stands for it has the same keys.
 */
import { pausesOf } from "../../domain/Intent.ts"
import type { Job } from "../../domain/Job.ts"
import { isOver } from "../../domain/JobMachine.ts"
import type { Signal } from "../../domain/turn/Signal.ts"
import type { Fiber, Host, Stored, World } from "../world/World.ts"
import { answerKey, noCancel, stepKey } from "./FleetSteps.ts"

/** Which texts of one kind are the same, in the order of their first mention. */
class Names {
  private readonly known: Array<string> = []

  of(text: string | null): number {
    if (text === null || text === "") return 0
    const index = this.known.indexOf(text)
    return index === -1 ? this.known.push(text) : index + 1
  }

  has(text: string): boolean {
    return this.known.includes(text)
  }
}

/** What the words about one job are told by; made anew for each job, so that equal jobs get equal names. */
class Words {
  readonly world: World
  readonly seq: number
  /** The incarnation that lives; 0 for none. */
  readonly living: number
  readonly token: number
  readonly results = new Names()
  readonly places = new Names()

  constructor(world: World, { job, token }: Stored) {
    this.world = world
    this.seq = job.seq
    this.living = job.agent?.incarnation ?? 0
    this.token = token
  }

  /** Whether the living incarnation has brought it back, too: only its own may count as new. */
  result(text: string | null): string {
    const own = text !== null && text !== "" && text === resultOf(this.living)
    return `${this.results.of(text)}${own ? "*" : ""}`
  }
}

/** What an incarnation's work brings back, in this world. */
export const resultOf = (incarnation: number): string => `{"by":${incarnation}}`

/** Whether nobody reads any more what its incarnations have left. */
export const isSettled = ({ job }: Stored): boolean => job.agent?.state === "tombstoned"

/** Of a signal that carries a row: whether a commit on it would be taken, or is not even tried, since the job was over by then. */
export const isFresh = (world: World, signal: Signal & { readonly job: Job }): boolean =>
  world.jobs.get(signal.job.seq)?.job.version === signal.job.version ||
  (signal._tag !== "Orphaned" && signal._tag !== "SettleWanted" && isOver(signal.job.state))

/** A row that was read as an orphan and has moved since: its adoption would change nothing, and say nothing. */
const isVoid = (world: World, signal: Signal): boolean =>
  signal._tag === "Orphaned" && !isFresh(world, signal)

/** Without the letters that are void. */
export const withoutVoid = (world: World): World =>
  world.hosts.some(({ inbox }) => inbox.some((signal) => isVoid(world, signal)))
    ? {
        ...world,
        hosts: world.hosts.map((host) => ({
          ...host,
          inbox: host.inbox.filter((signal) => !isVoid(world, signal))
        }))
      }
    : world

const content = (signal: Signal, words: Words): string => {
  switch (signal._tag) {
    case "Prepared":
      return `${words.places.of(signal.workspace)}`
    case "PrepareFailed":
      return `${signal.phase}${words.places.of(signal.workspace)}${signal.failure.code}`
    case "Worked":
      return `${words.result(signal.result)}${signal.recalled === true}`
    case "Verified":
    case "LandingDone":
    case "LandingAbsent":
      return words.result(signal.result)
    case "WorkFailed":
    case "VerifyFailed":
    case "LandingRejected":
      return signal.failure.code
    case "Overdue":
      return signal.phase
    case "Ended":
    case "Hung":
      return `${words.places.of(signal.workspace ?? null)}`
    case "Cleaned":
      return signal.fate._tag
    case "MarkerStarted":
      return `${signal.id}${signal.name}`
    case "MarkerFinished":
      return `${signal.id}${signal.name}${signal.result}`
    default:
      return ""
  }
}

/** The number of the job that a signal speaks of; 0 for none. */
export const subjectOf = (signal: Signal): number =>
  "job" in signal ? signal.job.seq : "seq" in signal ? signal.seq : 0

const signalKey = (signal: Signal, words: Words): string => {
  if (signal._tag === "SettleWanted")
    return answerKey(words.world, signal, isFresh(words.world, signal), words.living)
  if ("job" in signal) return `${signal._tag}${isFresh(words.world, signal)}`
  const stale = "incarnation" in signal && signal.incarnation !== words.living ? "~" : ""
  return `${signal._tag}${stale}${content(signal, words)}`
}

const fiberKey = (fiber: Fiber, words: Words): string => {
  const { asks, incarnation, phase, step, stopping, workspace } = fiber
  const stale = incarnation === words.living ? "" : incarnation < words.token ? "~r" : "~"
  return `${phase}${stale}${words.result(fiber.result)},${words.places.of(workspace)}${stopping ? "s" : ""}${asks ? "a" : ""}${step === "idle" ? "" : step}`
}

/** What a host has of one job. */
const shareKey = (host: Host, words: Words): string => {
  const { seq } = words
  const fiber = host.fibers.get(seq)
  let key = fiber === undefined ? "" : fiberKey(fiber, words)
  const signals: Array<string> = []
  for (const signal of host.inbox) if (subjectOf(signal) === seq) signals.push(signalKey(signal, words))
  if (signals.length > 0) key += `<${signals.toSorted().join()}>`
  return key
}

const cancelKey = (world: World, seq: number): string => {
  let key = ""
  for (const { job, outcome } of world.cancels)
    if (job === seq && outcome !== noCancel) key = outcome === null ? "C" : key === "" ? "c" : key
  return key
}

/** A job, with all that hosts have of it. `hosts`: as `running` gives them. */
export const jobKey = (world: World, hosts: ReadonlyArray<Host>, stored: Stored): string => {
  const { job, letter, markers } = stored
  const { agent } = job
  const kind = `${job.workflowType}${job.maxRetries},${job.priority}${job.replayOf === null ? "" : "r"}${stored.supersededBy === null ? "" : "x"}`
  let key = `${kind}${job.state}${cancelKey(world, job.seq)}`
  const settled = isSettled(stored)
  if (!settled) key += `${job.retryCount}${job.runAt <= world.now || isOver(job.state) ? "" : "w"}`
  const words = new Words(world, stored)
  const shares = (): string => hosts.map((host) => `;${shareKey(host, words)}`).join("")
  if (agent === null) return `${key}${letter === null ? "" : "L"}${shares()}`
  const owner = agent.owner === null ? 0 : hosts.findIndex(({ epoch }) => epoch === agent.owner?.epoch) + 1
  key += `|${agent.state}${agent.owner === null ? "-" : owner}${agent.standing ?? ""}/${agent.phase ?? ""}${agent.hung ? "h" : ""}`
  if (!settled) {
    const commit = markers.get("commit")
    key += `${agent.restarts.length},${words.places.of(agent.workspace)},${commit?.state ?? ""}${words.result(commit?.result ?? null)},${words.places.of(stored.workedIn)}${markers.has("archive") ? "A" : ""}`
    if (stored.token >= agent.incarnation) key += "t"
  }
  key += `${agent.disposition ?? ""}${letter === null ? "" : "L"}${stored.landings},${words.result(stored.result)}`
  key += stepKey(world, stored)
  key += shares()
  // last, since these may hold what nothing else mentions: then it is forgotten
  for (const result of stored.passes) if (words.results.has(result)) key += `p${words.result(result)}`
  if (!settled)
    for (const result of stored.turnedDown) if (words.results.has(result)) key += `d${words.result(result)}`
  return stored.places.size === 0
    ? key
    : `${key}@${Array.from(stored.places, (place) => words.places.of(place)).join()}`
}

/** What is about hosts and no job. */
const hostKey = (host: Host): string =>
  `${host.living ? "" : "z"}${host.refills ? "" : "s"}${host.control.paused ? "p" : ""}${host.inbox.some(({ _tag }) => _tag === "Stopping") ? "S" : ""}`

/** What a host looks like without numbers. */
const hostMark = (world: World, host: Host): string => {
  const jobs: Array<string> = []
  for (const stored of world.jobs.values()) {
    const { agent, state } = stored.job
    const owns = agent?.owner?.epoch === host.epoch
    const share = shareKey(host, new Words(world, stored))
    if (owns || share !== "")
      jobs.push(`${state}${agent?.standing ?? ""}${agent?.phase ?? ""}${owns}${share}`)
  }
  return `${hostKey(host)}${jobs.toSorted().join("\n")}`
}

/** The same with all that is known of the jobs, which is rarely needed to tell two hosts apart. */
const wholeMark = (world: World, host: Host): string =>
  Array.from(world.jobs.values(), (stored) => jobKey(world, [host], stored))
    .toSorted()
    .join("\n")

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The hosts that run: in the order of what they look like, or of their numbers. */
export const running = (world: World, symmetric: boolean): ReadonlyArray<Host> => {
  const hosts = world.hosts.filter(({ runs }) => runs)
  if (hosts.length < 2) return hosts
  if (!symmetric) return hosts.toSorted((a, b) => a.host - b.host)
  return hosts
    .map((host) => ({ host, mark: hostMark(world, host) }))
    .toSorted(
      (a, b) => compare(a.mark, b.mark) || compare(wholeMark(world, a.host), wholeMark(world, b.host))
    )
    .map(({ host }) => host)
}

export const worldKey = (world: World, symmetric: boolean): string => {
  const hosts = running(world, symmetric)
  const jobs: Array<string> = []
  for (const stored of world.jobs.values()) jobs.push(jobKey(world, hosts, stored))
  const paused = world.intents.length > 0 && pausesOf(world.intents).length > 0 ? "P" : ""
  const names = hosts.map((host) => `${symmetric ? "" : host.host}${hostKey(host)}`)
  return `${(symmetric ? jobs.toSorted() : jobs).join("\n")}\n${names.join()}\n${paused}${world.alarms.map(({ name }) => name).join()}`
}
