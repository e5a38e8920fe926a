// What is kept of what agents say: written beside the store, whole, bounded, and read again.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { defaults, limits } from "@muster/core"
import { Effect, Exit, Logger, Queue, References, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { AgentLogs, type LoggedLine } from "../../../src/adapters/logs/AgentLogs.ts"
import { before, fileOf, folderOf, partBytes } from "../../../src/adapters/logs/LogFiles.ts"
import * as LogLineText from "../../../src/adapters/logs/LogLineText.ts"
import { LogReader } from "../../../src/adapters/logs/LogReader.ts"
import { LogWriter } from "../../../src/adapters/logs/LogWriter.ts"
import * as NodeAgentLogs from "../../../src/adapters/logs/NodeAgentLogs.ts"

const line = (number: number, text = `line ${number}`, incarnation = 1): LoggedLine => ({
  number,
  at: 1_000 * number,
  incarnation,
  source: "stdout",
  text,
  cut: false
})

const numbers = (lines: ReadonlyArray<LoggedLine>) => lines.map(({ number }) => number)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

/** A store's file, and its folder, which is gone afterwards. */
const aStore = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "muster-logs-"))
    const store = join(folder, "fleet.db")
    writeFileSync(store, "")
    return store
  }),
  (store) =>
    Effect.sync(() => {
      if (existsSync(folderOf(store))) chmodSync(folderOf(store), 0o700)
      rmSync(join(store, ".."), { recursive: true, force: true })
    })
)

const writerOf = (store: string) => new LogWriter(folderOf(store))

describe("the text of a kept line", () => {
  const hostile = Schema.Struct({
    number: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
    at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000_000_000_000 })),
    incarnation: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })),
    source: Schema.Literals(["stdout", "stderr", "log", "progress"]),
    text: Schema.String,
    cut: Schema.Boolean
  })

  it.prop("is one line, and says all of it again, whatever was said", { given: hostile }, ({ given }) => {
    const text = LogLineText.encode(given)
    assert.strictEqual(text.indexOf("\n"), text.length - 1)
    assert.deepStrictEqual(LogLineText.parseAll(`${text}${text}`), [given, given])
  })

  it("is left out where it is torn", () => {
    const whole = LogLineText.encode(line(2))
    const torn = LogLineText.encode(line(1)).slice(0, 30)
    assert.deepStrictEqual(numbers(LogLineText.parseAll(`${torn}\n\n${whole}not json\n{"a":1}\n`)), [2])
  })
})

describe("lines on their way to a file", () => {
  it.effect("are written beside the store for their owner alone, escape sequences and all", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      const writer = writerOf(store)
      const bad = "\u001B[2J\u001B]0;owned\u0007 \r\n two lines \u202E"
      writer.take("k3f9qx-17", line(1, bad))
      assert.deepStrictEqual(yield* Effect.promise(() => writer.flush()), { failure: null, lost: 0 })
      const file = fileOf(folderOf(store), "k3f9qx-17")
      assert.strictEqual(statSync(folderOf(store)).mode & 0o777, 0o700)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(readFileSync(file, "utf8").split("\n").length, 2)
      assert.strictEqual(new LogReader(store, "k3f9qx-17").last(1)[0]?.text, bad)
    })
  )

  it.effect("are cut and marked where they are longer than 64 KiB (R36)", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      const writer = writerOf(store)
      writer.take("k3f9qx-17", line(1, "é".repeat(limits.lineBytes)))
      yield* Effect.promise(() => writer.flush())
      const [kept] = new LogReader(store, "k3f9qx-17").last(null)
      assert.isTrue(kept?.cut)
      assert.isAtMost(Buffer.byteLength(kept?.text ?? ""), limits.lineBytes)
      assert.match(kept?.text ?? "", /…\[cut\]$/)
    })
  )

  it.effect(
    "go where one agent says more than there is room for: its first and its newest stay, and it is told",
    () =>
      Effect.gen(function* () {
        const store = yield* aStore
        const writer = writerOf(store)
        const long = "x".repeat(10_000)
        const all = 400
        for (let n = 1; n <= all; n++) writer.take("k3f9qx-1", line(n, long))
        writer.take("k3f9qx-2", line(1))
        const { failure, lost } = yield* Effect.promise(() => writer.flush())
        assert.isNull(failure)
        const kept = new LogReader(store, "k3f9qx-1").last(null)
        const gap = kept.findIndex(({ source }) => source === "log")
        assert.match(kept[gap]?.text ?? "", new RegExp(`^… ${lost} lines left out`))
        assert.deepStrictEqual(numbers(kept.slice(0, gap)), range(1, gap))
        assert.strictEqual(kept[gap]?.number, gap + lost)
        assert.deepStrictEqual(numbers(kept.slice(gap + 1)), range(gap + lost + 1, all))
        assert.isAtMost(
          statSync(fileOf(folderOf(store), "k3f9qx-1")).size,
          defaults.logBuffer.agentBytes + 20_000
        )
        assert.isAbove(kept.length - gap, 40)
        // Nobody else loses anything.
        assert.lengthOf(new LogReader(store, "k3f9qx-2").last(null), 1)
      })
  )

  it.effect("of many agents have room for so many bytes in all", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      const writer = writerOf(store)
      const long = "x".repeat(60_000)
      const jobs = range(1, 40).map((n) => `k3f9qx-${n}`)
      for (const n of range(1, 15)) for (const job of jobs) writer.take(job, line(n, long))
      const { lost } = yield* Effect.promise(() => writer.flush())
      const kept = jobs.flatMap((job) =>
        new LogReader(store, job).last(null).filter(({ source }) => source === "stdout")
      )
      assert.strictEqual(kept.length + lost, 15 * jobs.length)
      assert.isAtMost(kept.length * 60_000, defaults.logBuffer.allBytes + 60_000)
      assert.isAtLeast(kept.length * 60_000, defaults.logBuffer.allBytes / 2)
    })
  )

  it.effect("are kept in two parts, so that the newest half of the bound is always there (R36)", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      const writer = writerOf(store)
      const long = "x".repeat(60_000)
      const each = 15
      let n = 0
      while (n * 60_000 < 3 * partBytes) {
        for (let more = 0; more < each; more++) writer.take("k3f9qx-1", line(++n, long))
        yield* Effect.promise(() => writer.flush())
      }
      const file = fileOf(folderOf(store), "k3f9qx-1")
      const sizes = [file, before(file)].map((path) => (existsSync(path) ? statSync(path).size : 0))
      const slack = each * 61_000
      assert.isAtMost(Math.max(...sizes), partBytes + slack)
      const kept = numbers(new LogReader(store, "k3f9qx-1").last(null))
      assert.deepStrictEqual(kept, range(n - kept.length + 1, n))
      assert.isAtLeast(kept.length * 60_000, partBytes - slack)
      assert.isBelow(kept.length, n)
      assert.deepStrictEqual(numbers(new LogReader(store, "k3f9qx-1").last(3)), range(n - 2, n))
    })
  )

  it.effect("begin anew after what a death has torn", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      const first = writerOf(store)
      first.take("k3f9qx-1", line(1))
      yield* Effect.promise(() => first.flush())
      appendFileSync(fileOf(folderOf(store), "k3f9qx-1"), `{"at":"2030-01-01T00:00:00.000Z","incarna`)
      const second = writerOf(store)
      second.take("k3f9qx-1", line(1, "again", 2))
      yield* Effect.promise(() => second.flush())
      const kept = new LogReader(store, "k3f9qx-1").last(null)
      assert.deepStrictEqual(
        kept.map(({ incarnation, text }) => [incarnation, text]),
        [
          [1, "line 1"],
          [2, "again"]
        ]
      )
    })
  )

  it("of a job whose id is no name of a file are kept nowhere", () => {
    const writer = new LogWriter("/nowhere")
    writer.take("../../etc/passwd", line(1))
    assert.isFalse(writer.isDirty)
  })
})

describe("the reader of a log", () => {
  it.effect("goes on with what comes, across the change of files, each line once", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      const writer = writerOf(store)
      const long = "x".repeat(60_000)
      const reader = new LogReader(store, "k3f9qx-1")
      assert.lengthOf(reader.last(10), 0)
      const heard: Array<number> = []
      let n = 0
      for (let round = 0; round < 24; round++) {
        for (let more = 0; more < 12; more++) writer.take("k3f9qx-1", line(++n, long))
        yield* Effect.promise(() => writer.flush())
        heard.push(...numbers(reader.next()))
      }
      assert.isTrue(existsSync(before(fileOf(folderOf(store), "k3f9qx-1"))))
      assert.deepStrictEqual(heard, range(1, n))
    })
  )

  it.effect(
    "reads no more of a long file than it takes, and the part before it where that is not enough",
    () =>
      Effect.gen(function* () {
        const store = yield* aStore
        const writer = writerOf(store)
        for (const life of [1, 2, 3]) {
          for (const n of range(1, 5_000)) writer.take("k3f9qx-1", line(n, "x".repeat(20), life))
          yield* Effect.promise(() => writer.flush())
        }
        const reader = new LogReader(store, "k3f9qx-1")
        assert.deepStrictEqual(numbers(reader.last(2)), [4_999, 5_000])
        assert.lengthOf(reader.last(14_000), 14_000)
        assert.lengthOf(reader.last(20_000), 15_000)
        assert.lengthOf(reader.last(0), 0)
        writer.take("k3f9qx-1", line(1, "x", 4))
        yield* Effect.promise(() => writer.flush())
        assert.deepStrictEqual(numbers(reader.next()), [1])
      })
  )

  it.effect("begins anew where the file was removed and another one has taken its place", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      const writer = writerOf(store)
      for (const n of range(1, 20)) writer.take("k3f9qx-1", line(n))
      yield* Effect.promise(() => writer.flush())
      const reader = new LogReader(store, "k3f9qx-1")
      assert.lengthOf(reader.last(null), 20)
      rmSync(fileOf(folderOf(store), "k3f9qx-1"))
      assert.lengthOf(reader.next(), 0)
      writer.take("k3f9qx-1", line(21))
      yield* Effect.promise(() => writer.flush())
      assert.deepStrictEqual(numbers(reader.next()), [21])
    })
  )

  it.effect("waits for a half written line", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      const writer = writerOf(store)
      writer.take("k3f9qx-1", line(1))
      yield* Effect.promise(() => writer.flush())
      const reader = new LogReader(store, "k3f9qx-1")
      assert.deepStrictEqual(numbers(reader.last(5)), [1])
      const text = LogLineText.encode(line(2))
      appendFileSync(fileOf(folderOf(store), "k3f9qx-1"), text.slice(0, 20))
      assert.deepStrictEqual(numbers(reader.next()), [])
      appendFileSync(fileOf(folderOf(store), "k3f9qx-1"), text.slice(20))
      assert.deepStrictEqual(numbers(reader.next()), [2])
    })
  )
})

describe("the logs of a host", () => {
  /** As long as it takes: files are written in real time. */
  const timeGoesOn: Effect.Effect<never> = Effect.forever(
    Effect.andThen(
      TestClock.adjust("1 second"),
      Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    )
  )

  const opened = Effect.fnUntraced(function* (store: string) {
    const scope = yield* Scope.make()
    const { open } = yield* AgentLogs
    return { logs: yield* Scope.provide(open(store), scope), end: Scope.close(scope, Exit.void) }
  })

  it.effect("have all that was said by its end", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      const { end, logs } = yield* opened(store)
      for (const n of range(1, 500)) logs.write("k3f9qx-1", line(n))
      yield* end
      assert.deepStrictEqual(numbers(new LogReader(store, "k3f9qx-1").last(null)), range(1, 500))
    }).pipe(Effect.provide(NodeAgentLogs.layer))
  )

  it.effect("are kept nowhere for a store that is no file, nor where nobody keeps any", () =>
    Effect.gen(function* () {
      const { end, logs } = yield* opened(":memory:")
      logs.write("k3f9qx-1", line(1))
      yield* end
      assert.isFalse(existsSync(folderOf(":memory:")))
    }).pipe(Effect.provide(NodeAgentLogs.layer))
  )

  it.effect(
    "are lost where they can't be written, which is said once, and once more when they can (R15)",
    () =>
      Effect.gen(function* () {
        const said: Array<string> = []
        const losses = yield* Queue.unbounded<string>()
        const hear = Logger.make(({ logLevel, message }) => {
          const text = String(message)
          if (logLevel !== "Debug") said.push(text)
          else Queue.offerUnsafe(losses, text)
        })
        const store = yield* aStore
        // A file where the folder should be: no right helps against that, not even root's.
        writeFileSync(folderOf(store), "")
        const { end, logs } = yield* Effect.provide(opened(store), Logger.layer([hear]))
        for (const n of range(1, 3)) {
          logs.write("k3f9qx-1", line(n))
          const loss = yield* Effect.raceFirst(Queue.take(losses), timeGoesOn)
          assert.strictEqual(loss, "1 lines of agents were left out")
        }
        assert.lengthOf(said, 1)
        assert.match(said[0] ?? "", /can't be kept in .*The fleet goes on without them/)
        rmSync(folderOf(store))
        logs.write("k3f9qx-1", line(4))
        yield* end
        assert.deepStrictEqual(numbers(new LogReader(store, "k3f9qx-1").last(null)), [4])
        assert.match(said[1] ?? "", /are kept again/)
      }).pipe(Effect.provide(NodeAgentLogs.layer), Effect.provideService(References.MinimumLogLevel, "Debug"))
  )
})
