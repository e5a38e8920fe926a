// What an agent writes: events while it works, bounds whatever comes, no secrets.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Logger } from "effect"
import { errorOf, sh } from "./Processes.ts"

const say = (members: object): string => `echo '${JSON.stringify(members)}'`

describe("an agent's stream", () => {
  it.live("hands on plain lines of both streams, and messages as what they mean", () =>
    Effect.gen(function* () {
      const { events } = yield* sh(
        [
          "echo plain",
          say({ type: "progress", message: "half", fraction: 0.5 }),
          say({ type: "usage", input_tokens: 3, output_tokens: 4, cost: 0.5 }),
          say({ type: "extend", seconds: 60 }),
          say({ type: "needs_input", question: "which one?" }),
          say({ type: "marker", name: "step" }),
          say({ type: "progress" })
        ].join("; ")
      )
      assert.deepStrictEqual(
        events.filter(({ _tag }) => _tag !== "Heartbeat"),
        [
          { _tag: "Line", source: "stdout", text: "plain", cut: false },
          { _tag: "Progress", message: "half", fraction: 0.5 },
          { _tag: "Usage", inputTokens: 3, outputTokens: 4, cost: 0.5 },
          { _tag: "Extend", millis: 60_000 },
          { _tag: "NeedsInput", question: "which one?" },
          { _tag: "Line", source: "stdout", text: '{"type":"marker","name":"step"}', cut: false },
          { _tag: "Line", source: "stdout", text: '{"type":"progress"}', cut: false }
        ]
      )
    })
  )

  it.live("is warned of once a life where a line looks like a message and is no JSON", () =>
    Effect.gen(function* () {
      const warned: Array<string> = []
      const hear = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Warn") warned.push(String(message))
      })
      const broken = String.raw`echo '{"type":"result","result":{"n":1}'`
      const { lines } = yield* Effect.provide(sh(`${broken}; ${broken}; echo fine`), Logger.layer([hear]))
      assert.lengthOf(lines, 3)
      assert.lengthOf(warned, 1)
      assert.match(
        warned[0] ?? "",
        /looks like a message and is no JSON: \{"type":"result","result":\{"n":1\}$/
      )
    })
  )

  it.live("takes nothing on standard error for a message (R32)", () =>
    Effect.gen(function* () {
      const line = say({ type: "result", result: 1 })
      const { events, exit } = yield* sh(`${line} >&2`)
      assert.deepStrictEqual(exit, Exit.succeed({ stdout: "" }))
      assert.deepStrictEqual(events, [
        { _tag: "Line", source: "stderr", text: '{"type":"result","result":1}', cut: false }
      ])
    })
  )

  it.live("is read to its end, however long the host stands still when the agent has ended", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "muster-output-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const [go, gone] = [join(folder, "go"), join(folder, "gone")]
      const standStill = (until: () => boolean): void => {
        while (!until());
      }
      const standStillFor = (millis: number): void => {
        const end = performance.now() + millis // a host that is starved, not a wait
        standStill(() => performance.now() > end)
      }
      // What the system has to tell is collected before anybody looks at it: that the neighbour spoke and ended. While it is told, the
      // agent speaks and ends as well; so its end is seen, and what it said is not yet.
      const neighbour = sh("echo next door", {}, {}, {}, () => {
        writeFileSync(go, "")
        standStill(() => existsSync(gone))
        standStillFor(100)
        setImmediate(() => standStillFor(250)) // no wait: longer than a silence that ends the reading
      })
      const agent = sh(
        `while [ ! -e ${go} ]; do :; done; ${say({ type: "result", result: "heard" })}; : > ${gone}`
      )
      setImmediate(() => standStillFor(300)) // no wait: both have started, and the neighbour ends meanwhile
      const [{ exit }] = yield* Effect.all([agent, neighbour], { concurrency: "unbounded" })
      assert.deepStrictEqual(exit, Exit.succeed("heard"))
    }).pipe(Effect.scoped)
  )

  it.live("cuts a long line and marks it", () =>
    Effect.gen(function* () {
      const { events } = yield* sh(`head -c 200000 /dev/zero | tr '\\0' x; echo; echo next`)
      const lines = events.filter((event) => event._tag === "Line")
      assert.deepStrictEqual(
        lines.map(({ cut }) => cut),
        [true, false]
      )
      assert.isAtMost(Buffer.byteLength(lines[0]?.text ?? ""), 65_536)
      assert.isAbove(lines[0]?.text.length ?? 0, 65_000)
    })
  )

  it.live("takes output without a line's end for life", () =>
    Effect.gen(function* () {
      const { events } = yield* sh("printf .; printf .")
      assert.strictEqual(events[0]?._tag, "Heartbeat")
      assert.deepInclude(events, { _tag: "Line", source: "stdout", text: "..", cut: false })
    })
  )

  it.live("goes on when the agent closes its output early", () =>
    Effect.gen(function* () {
      const { exit } = yield* sh("echo early; exec >&- 2>&-; sleep 0.1; exit 65")
      assert.strictEqual(errorOf({ exit, events: [], lines: [] }).code, "DQ_COMMAND_DATA")
    })
  )

  it.live("is a defect of ours, and no end of the host, when the listener throws", () =>
    Effect.gen(function* () {
      const { exit } = yield* sh("echo one; echo two", {}, {}, {}, () => {
        throw new Error("listener")
      })
      assert.isTrue(Exit.hasDies(exit), String(exit))
    })
  )
})

describe("a flood", () => {
  const mebibyte = 1_048_576

  it.live(
    "of 100 MiB of lines takes seconds and no memory, and its last lines and result are kept",
    () =>
      Effect.gen(function* () {
        const before = process.memoryUsage().rss
        const started = performance.now()
        const { events, exit, lines } = yield* sh(
          `yes 0123456789 | head -c ${100 * mebibyte}; echo; echo the end; ${say({ type: "result", result: "ok" })}`
        )
        assert.isBelow(performance.now() - started, 20_000)
        assert.isBelow(process.memoryUsage().rss - before, 150 * mebibyte)
        assert.deepStrictEqual(exit, Exit.succeed("ok"))
        assert.strictEqual(lines.at(-1), "the end")
        assert.isBelow(events.length, 100_000)
        assert.isTrue(lines.some((line) => /^… \d+ bytes of stdout left out$/.test(line)))
      }),
    60_000
  )

  for (const [what, script] of [
    ["binary output", `head -c ${30 * mebibyte} /dev/urandom`],
    ["one endless line", `head -c ${100 * mebibyte} /dev/zero`],
    ["one endless message", `printf '{'; head -c ${100 * mebibyte} /dev/zero`],
    ["messages", `yes '{"type":"progress","message":"m"}' | head -c ${10 * mebibyte}`],
    [
      "other JSON",
      `yes '{"level":"info","type":"log","message":"something of 64 bytes"}' | head -c ${100 * mebibyte}`
    ],
    ["braces", `yes '{ {{{{{{{ "type"' | head -c ${10 * mebibyte}`],
    ["standard error", `yes error | head -c ${100 * mebibyte} >&2`]
  ] as const)
    it.live(
      `of ${what} is harmless, and the loop goes on meanwhile`,
      () =>
        Effect.gen(function* () {
          const before = process.memoryUsage().rss
          const delay = monitorEventLoopDelay({ resolution: 5 })
          delay.enable()
          const { events, exit } = yield* sh(`${script}; echo; ${say({ type: "result", result: 1 })}`)
          delay.disable()
          assert.deepStrictEqual(exit, Exit.succeed(1))
          assert.isBelow(process.memoryUsage().rss - before, 150 * mebibyte)
          assert.isBelow(events.length, 200_000)
          assert.isBelow(delay.max / 1e6, 1_000)
          for (const event of events)
            if (event._tag === "Line") assert.isAtMost(Buffer.byteLength(event.text), 65_536)
        }),
      60_000
    )
})

describe("secrets", () => {
  const env = {
    API_KEY: "sk-0123456789",
    DATABASE_URL: "postgres://me:hunter22hunter@db/x",
    PLAIN: "not-a-secret"
  }

  it.live("never reach events, errors or the result that is made of output (R36)", () =>
    Effect.gen(function* () {
      const script = `echo "key $API_KEY"; echo "$DATABASE_URL" >&2; echo "$PLAIN"`
      const good = yield* sh(script, {}, { env })
      assert.sameMembers([...good.lines], ["key [redacted]", "postgres://me:[redacted]@db/x", "not-a-secret"])
      assert.deepStrictEqual(good.exit, Exit.succeed({ stdout: "key [redacted]\nnot-a-secret\n" }))
      const bad = errorOf(yield* sh(`${script}; exit 1`, {}, { env }))
      assert.include(bad.message, "[redacted]")
      assert.notInclude(bad.message, "hunter22hunter")
    })
  )

  it.live("never reach the messages of an agent", () =>
    Effect.gen(function* () {
      const { events } = yield* sh(
        `printf '{"type":"progress","message":"%s"}\\n{"type":"needs_input","question":"%s"}\\n' "$API_KEY" "$API_KEY"`,
        {},
        { env }
      )
      assert.deepStrictEqual(events, [
        { _tag: "Progress", message: "[redacted]", fraction: null },
        { _tag: "NeedsInput", question: "[redacted]" }
      ])
      const failed = errorOf(
        yield* sh(`printf '{"type":"error","code":"EXT_X","message":"%s"}\\n' "$API_KEY"`, {}, { env })
      )
      assert.strictEqual(failed.message, "[redacted]")
    })
  )

  it.live("are found where a line is cut", () =>
    Effect.gen(function* () {
      const padding = (size: number) => `head -c ${size} /dev/zero | tr '\\0' x`
      const { events, exit } = yield* sh(
        `${padding(65_530)}; printf %s "$API_KEY"; ${padding(9_999)}; echo`,
        {},
        { env }
      )
      assert.isTrue(Exit.isSuccess(exit))
      const text = events.flatMap((event) => (event._tag === "Line" ? [event.text] : [])).join("")
      assert.isTrue(text.startsWith("xxx"))
      assert.notInclude(text, "sk-")
    })
  )
})
