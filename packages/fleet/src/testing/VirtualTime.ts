/**
 * A machine in one thread: processes whose fibers, clocks and timers belong to the simulation, so that it may stop a process in the middle
 * of a step, freeze it, or let its clock jump. Time moves only when nothing is left to do, so that a minute costs what happens in it.
 */
import { Clock, Duration, Effect, type Scheduler } from "effect"
import type { Chance } from "./Chance.ts"

interface Timer {
  readonly at: number
  /** Of two that are due at once the earlier made goes first. */
  readonly order: number
  /** Null once it is called off. */
  fire: (() => void) | null
}

const isBefore = (one: Timer, other: Timer): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order)

/** The earliest timer first: a binary heap. */
class Timers {
  private readonly heap: Array<Timer> = []

  peek(): Timer | undefined {
    return this.heap[0]
  }

  add(timer: Timer): void {
    const { heap } = this
    let place = heap.push(timer) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = heap[parent]
      if (above === undefined || !isBefore(timer, above)) break
      heap[place] = above
      place = parent
    }
    heap[place] = timer
  }

  pop(): Timer | undefined {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      const right = heap[child + 1]
      const left = heap[child]
      if (left === undefined) break
      let least = left
      if (right !== undefined && isBefore(right, left)) {
        least = right
        child++
      }
      if (!isBefore(least, last)) break
      heap[place] = least
      place = child
    }
    heap[place] = last
    return first
  }
}

/** Epoch ms at which a simulation begins: a plain number, far from zero. */
const epoch = 1_700_000_000_000

/** Tasks at one instant; more of them mean that something runs in circles. */
const mostTasks = 200_000

/** One process of the machine. */
export class VirtualProcess {
  readonly name: string
  readonly scheduler: Scheduler.Scheduler
  readonly clock: Clock.Clock
  state: "runs" | "frozen" | "dead" = "runs"
  /** Timers of its fibers that have not fired yet. */
  sleeping = 0
  private tasks: Array<() => void> = []
  private head = 0
  private readonly time: VirtualTime

  constructor(time: VirtualTime, name: string) {
    this.time = time
    this.name = name
    const dispatcher: Scheduler.SchedulerDispatcher = {
      scheduleTask: (task) => this.schedule(task),
      flush: () => {}
    }
    this.scheduler = {
      executionMode: "async",
      // As the default scheduler: a fiber that goes on for long gives way.
      shouldYield: (fiber) => fiber.currentOpCount >= 2_048,
      makeDispatcher: () => dispatcher
    }
    const millis = () => time.wall()
    const nanos = () => BigInt(time.wall()) * 1_000_000n
    const monotonic = () => BigInt(time.now) * 1_000_000n
    this.clock = {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) => this.sleep(Duration.toMillis(duration))
    }
  }

  /** Runs the task when it is the process's turn; a dead one runs nothing any more. */
  schedule(task: () => void): void {
    if (this.state === "dead") return
    this.tasks.push(task)
    if (this.state === "runs") this.time.wants(this)
  }

  hasTask(): boolean {
    return this.head < this.tasks.length
  }

  /** The task that has waited longest. */
  take(): (() => void) | undefined {
    const task = this.tasks[this.head++]
    if (this.head >= this.tasks.length) {
      this.tasks = []
      this.head = 0
    }
    return task
  }

  /** Stopped as by SIGSTOP: its timers run out, and it hears of nothing. */
  freeze(): void {
    if (this.state === "runs") this.state = "frozen"
  }

  thaw(): void {
    if (this.state !== "frozen") return
    this.state = "runs"
    if (this.hasTask()) this.time.wants(this)
  }

  /** Gone as by SIGKILL: no finaliser runs. */
  kill(): void {
    this.state = "dead"
    this.tasks = []
    this.head = 0
  }

  private sleep(millis: number): Effect.Effect<void> {
    if (millis <= 0) return Effect.yieldNow
    if (!Number.isFinite(millis)) return Effect.never
    return Effect.callback<void>((resume) => {
      this.sleeping++
      const cancel = this.time.after(Math.ceil(millis), () => {
        this.sleeping--
        this.schedule(() => resume(Effect.void))
      })
      return Effect.sync(() => {
        if (cancel()) this.sleeping--
      })
    })
  }
}

export class VirtualTime {
  /** Milliseconds since the beginning, which never go back. */
  now = 0
  /** How far the machine's wall clock has been set from what it should be, in milliseconds. */
  shift = 0
  private order = 0
  private spent = 0
  private readonly timers = new Timers()
  private readonly chance: Chance
  private ready: Array<VirtualProcess> = []

  /** Which of several processes goes on is a matter of chance. */
  constructor(chance: Chance) {
    this.chance = chance
  }

  /** Epoch ms, as the machine tells it. */
  wall(): number {
    return epoch + this.now + this.shift
  }

  process(name: string): VirtualProcess {
    return new VirtualProcess(this, name)
  }

  /** Calls back in so many milliseconds. The answer calls it off: true where that was in time. */
  after(millis: number, fire: () => void): () => boolean {
    const timer: Timer = { at: this.now + Math.max(0, Math.ceil(millis)), order: this.order++, fire }
    this.timers.add(timer)
    return () => {
      const wasWaiting = timer.fire !== null
      timer.fire = null
      return wasWaiting
    }
  }

  wants(process: VirtualProcess): void {
    if (!this.ready.includes(process)) this.ready.push(process)
  }

  /** Whether some process may have something to do. */
  busy(): boolean {
    return this.ready.length > 0
  }

  /** Lets one process take one step; false when none has anything to do. */
  step(): boolean {
    const { ready } = this
    for (;;) {
      if (ready.length === 0) return false
      const place = ready.length === 1 ? 0 : this.chance.int(0, ready.length - 1)
      const process = ready[place]
      if (process === undefined) return false
      const task = process.state === "runs" ? process.take() : undefined
      if (task === undefined || !process.hasTask()) ready.splice(place, 1)
      if (task === undefined) continue
      if (++this.spent > mostTasks) throw new Error(`${process.name} runs in circles at ${this.now} ms`)
      task()
      return true
    }
  }

  /** When the next timer is due; null: there is none. */
  next(): number | null {
    for (;;) {
      const timer = this.timers.peek()
      if (timer === undefined) return null
      if (timer.fire !== null) return timer.at
      this.timers.pop()
    }
  }

  /** Moves time to the next timer and lets it fire; false when there is none. */
  advance(): boolean {
    if (this.next() === null) return false
    const timer = this.timers.pop()
    const fire = timer?.fire
    if (timer === undefined || fire === null || fire === undefined) return false
    if (timer.at > this.now) {
      this.now = timer.at
      this.spent = 0
    }
    timer.fire = null
    fire()
    return true
  }
}
