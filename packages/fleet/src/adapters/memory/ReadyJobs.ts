/**
 * The runnable jobs in the order of the peek (R7, R9): by workflow a heap of due ones by rank and a heap of future ones by due
 * time, from which due ones are promoted; and one heap over all by due time.
 */
import { Heap } from "./Heap.ts"

export interface ReadyJob {
  readonly seq: number
  readonly workflow: string
  readonly priority: number
  readonly runAt: number
  /** Its place in its line's heap, and in the heap over all. Written by the heaps. */
  inLine: number
  inAll: number
}

const outranks = (a: ReadyJob, b: ReadyJob): boolean =>
  a.priority === b.priority ? isEarlier(a, b) : a.priority > b.priority

const isEarlier = (a: ReadyJob, b: ReadyJob): boolean =>
  a.runAt === b.runAt ? a.seq < b.seq : a.runAt < b.runAt

const placeInLine = (job: ReadyJob, place: number): void => {
  job.inLine = place
}

/** One workflow's runnable jobs. */
class Line {
  readonly due = new Heap<ReadyJob>(outranks, placeInLine)
  readonly future = new Heap<ReadyJob>(isEarlier, placeInLine)
  /** The clock that has divided them; due ones are due at it. */
  private now = Number.NEGATIVE_INFINITY

  heapOf(job: ReadyJob): Heap<ReadyJob> {
    return job.runAt <= this.now ? this.due : this.future
  }

  /** Divides them by `now`. Clocks of several hosts differ a little, so it may be earlier than the last one. */
  divide(now: number): void {
    if (now < this.now) {
      const early = this.due.removeWhere(({ runAt }) => runAt > now)
      for (const job of early) this.future.push(job)
    }
    this.now = now
    for (
      let first = this.future.at(0);
      first !== undefined && first.runAt <= now;
      first = this.future.at(0)
    ) {
      this.future.remove(0)
      this.due.push(first)
    }
  }
}

interface Candidate {
  readonly heap: Heap<ReadyJob>
  readonly place: number
  readonly job: ReadyJob
}

export class ReadyJobs {
  private readonly lines = new Map<string, Line>()
  private readonly all = new Heap<ReadyJob>(isEarlier, (job, place) => {
    job.inAll = place
  })

  add(job: ReadyJob): void {
    let line = this.lines.get(job.workflow)
    if (line === undefined) {
      line = new Line()
      this.lines.set(job.workflow, line)
    }
    line.heapOf(job).push(job)
    this.all.push(job)
  }

  remove(job: ReadyJob): void {
    this.lines.get(job.workflow)?.heapOf(job).remove(job.inLine)
    this.all.remove(job.inAll)
  }

  /** The first `limit` due jobs of these workflows, and when the next one that isn't due becomes due. */
  peek(
    workflows: ReadonlyArray<string>,
    now: number,
    limit: number
  ): { readonly seqs: ReadonlyArray<number>; readonly nextDue: number | null } {
    const frontier = new Heap<Candidate>(
      (a, b) => outranks(a.job, b.job),
      () => {}
    )
    const look = (heap: Heap<ReadyJob>, place: number): void => {
      const job = heap.at(place)
      if (job !== undefined) frontier.push({ heap, place, job })
    }
    let nextDue: number | null = null
    for (const workflow of new Set(workflows)) {
      const line = this.lines.get(workflow)
      if (line === undefined) continue
      line.divide(now)
      look(line.due, 0)
      const next = line.future.at(0)
      if (next !== undefined) nextDue = Math.min(next.runAt, nextDue ?? next.runAt)
    }
    const seqs: Array<number> = []
    while (seqs.length < limit) {
      const best = frontier.pop()
      if (best === undefined) break
      seqs.push(best.job.seq)
      look(best.heap, 2 * best.place + 1)
      look(best.heap, 2 * best.place + 2)
    }
    return { seqs, nextDue }
  }

  /** The due time of the job that has been due longest; null for none. */
  oldest(now: number): number | null {
    const first = this.all.at(0)
    return first !== undefined && first.runAt <= now ? first.runAt : null
  }
}
