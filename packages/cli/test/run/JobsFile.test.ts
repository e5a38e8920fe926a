import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema, Stream } from "effect"
import { lineLimitBytes } from "../../src/run/JobLine.ts"
import { badLinesReport, LineReader, read, reportedLines } from "../../src/run/JobsFile.ts"

const encoder = new TextEncoder()
const bytes = (text: string): Uint8Array => encoder.encode(text)

/** Reads the pieces, in this order, as the file `jobs.jsonl` of the workflow `w`. */
const readPieces = (...pieces: ReadonlyArray<Uint8Array>) =>
  read("jobs.jsonl", Stream.fromIterable(pieces), "w")

const payloads = (...pieces: ReadonlyArray<Uint8Array>) =>
  Effect.map(readPieces(...pieces), ({ jobs }) => jobs.map(({ submission }) => submission.payload))

const reasonOf = (text: string | Uint8Array) =>
  Effect.map(readPieces(typeof text === "string" ? bytes(text) : text), ({ bad }) => bad[0]?.reason)

describe("a file of jobs", () => {
  it.effect("takes a line as a payload, whatever JSON it is", () =>
    Effect.gen(function* () {
      const text = `{"n":1}\n[1,2]\n"text"\n42\nnull\n{"payload":1,"more":2}\n`
      const given = yield* payloads(bytes(text))
      assert.deepStrictEqual(given, [{ n: 1 }, [1, 2], "text", 42, null, { payload: 1, more: 2 }])
    })
  )

  it.effect("takes a line as a submission if it has a payload and no other field than a submission's", () =>
    Effect.gen(function* () {
      const line = {
        workflow_type: "other",
        idempotency_key: "k",
        priority: 3,
        max_retries: 0,
        run_at: "2026-01-01T00:00:00Z",
        correlation_id: "c",
        payload: { n: 1 }
      }
      const { jobs } = yield* readPieces(bytes(`${JSON.stringify(line)}\n{"payload":null}\n`))
      assert.deepStrictEqual(jobs, [
        {
          _tag: "Job",
          line: 1,
          submission: {
            workflowType: "other",
            idempotencyKey: "k",
            priority: 3,
            maxRetries: 0,
            runAt: Date.parse("2026-01-01T00:00:00Z"),
            correlationId: "c",
            payload: { n: 1 }
          }
        },
        { _tag: "Job", line: 2, submission: { workflowType: "w", payload: null } }
      ])
    })
  )

  it.effect("skips blank lines, reads CRLF and a byte order mark, and needs no line feed at its end", () =>
    Effect.gen(function* () {
      const { bad, jobs } = yield* readPieces(bytes('\ufeff{"n":1}\r\n\r\n  \t\n{"n":2}\n\n{"n":3}'))
      assert.deepStrictEqual(
        jobs.map(({ line, submission }) => [line, submission.payload]),
        [
          [1, { n: 1 }],
          [4, { n: 2 }],
          [6, { n: 3 }]
        ]
      )
      assert.deepStrictEqual(bad, [])
    })
  )

  it.effect("says of each bad line where it stands and what is wrong, in one line of plain text", () =>
    Effect.gen(function* () {
      assert.match(String(yield* reasonOf("{n:1}")), /^it is not JSON: /)
      assert.match(String(yield* reasonOf("\u001b[31mred\u0007")), /^it is not JSON: \P{Cc}*$/u)
      assert.match(
        String(yield* reasonOf('{"payload":1,"priority":"high"}')),
        /^\["priority"\] doesn't fit a submission: /
      )
      assert.match(String(yield* reasonOf('{"payload":1,"run_at":"tomorrow"}')), /^\["run_at"\].*ISO 8601/)
      assert.match(
        String(yield* reasonOf('{"id":12345678901234567891}')),
        /^the number 12345678901234567891 /
      )
      assert.match(String(yield* reasonOf('{"x":1e999}')), /^its payload can't be stored, see \["x"\]/)
      assert.match(String(yield* reasonOf('{"x":"\\ud800"}')), /^its payload can't be stored/)
      assert.match(String(yield* reasonOf("[".repeat(5_000) + "]".repeat(5_000))), /nested deeper/)
      assert.match(String(yield* reasonOf(Uint8Array.of(0x22, 0xc3, 0x28, 0x22))), /^it is not UTF-8/)
      assert.match(String(yield* reasonOf(Uint8Array.of(0xff, 0xfe, 0x31, 0x00))), /UTF-16/)
      assert.match(String(yield* reasonOf('{"a":"\0"}')), /NUL/)
    })
  )

  it.effect("takes exact large integers, and digits inside texts, as they are", () =>
    Effect.gen(function* () {
      const given = yield* payloads(
        bytes('{"id":"12345678901234567891"}\n[9007199254740992, 1234567890.1234567]\n')
      )
      assert.deepStrictEqual(given, [{ id: "12345678901234567891" }, [9007199254740992, 1234567890.1234567]])
    })
  )

  it.effect("refuses a line that is too long without keeping it, and reads on", () =>
    Effect.gen(function* () {
      const reader = new LineReader("w")
      const piece = new Uint8Array(65_536).fill(0x20)
      for (let sent = 0; sent <= lineLimitBytes; sent += piece.length) reader.push(piece)
      const lines = reader.push(bytes("\n1\n"))
      assert.deepStrictEqual(
        lines.map(({ _tag, line }) => [_tag, line]),
        [
          ["Bad", 1],
          ["Job", 2]
        ]
      )
      assert.match(
        String(yield* reasonOf(`"${"x".repeat(1_100_000)}"`)),
        /its payload can't be stored: it takes more/
      )
    })
  )

  it.effect("counts all bad lines and keeps the first of them", () =>
    Effect.gen(function* () {
      const file = yield* readPieces(bytes("x\n".repeat(reportedLines + 7) + "1\n"))
      assert.strictEqual(file.badCount, reportedLines + 7)
      assert.strictEqual(file.jobs.length, 1)
      const report = badLinesReport(file)
      assert.strictEqual(report.length, reportedLines + 1)
      assert.match(String(report[0]), /^jobs\.jsonl:1: it is not JSON/)
      assert.strictEqual(report.at(-1), "jobs.jsonl: … and 7 more")
    })
  )

  const Json = Schema.Union([
    Schema.Finite,
    Schema.String,
    Schema.Boolean,
    Schema.Null,
    Schema.Struct({ a: Schema.String, b: Schema.Array(Schema.Finite) })
  ])

  it.effect.prop(
    "gives back every payload that was written as a line, however the bytes are cut into pieces",
    {
      values: Arbitrary.array(Arbitrary.schema(Json), { maxLength: 8 }),
      size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))
    },
    ({ size, values }) =>
      Effect.gen(function* () {
        const text = bytes(values.map((value) => JSON.stringify(value)).join("\n"))
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
          text.subarray(index * size, (index + 1) * size)
        )
        const { bad, jobs } = yield* readPieces(...pieces)
        const whole = yield* readPieces(text)
        assert.deepStrictEqual({ bad, jobs }, { bad: whole.bad, jobs: whole.jobs })
        const written = values.filter((value) => JSON.stringify(value).isWellFormed())
        if (written.length === values.length && bad.length === 0) {
          // JSON has no minus zero
          const plain: unknown = JSON.parse(JSON.stringify(values))
          assert.deepStrictEqual(
            jobs.map(({ submission }) => submission.payload),
            plain
          )
        }
      })
  )

  it.effect.prop(
    "accounts for every line of any bytes: as a job, as a bad line or as a blank one, in order",
    {
      octets: Arbitrary.array(
        Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))),
        { maxLength: 200 }
      )
    },
    ({ octets }) =>
      Effect.gen(function* () {
        const text = Uint8Array.from(octets)
        const { bad, badCount, jobs } = yield* readPieces(text)
        const lines = [...jobs, ...bad].map(({ line }) => line)
        assert.strictEqual(new Set(lines).size, jobs.length + Math.min(badCount, reportedLines))
        assert.isAtMost(Math.max(0, ...lines), text.filter((octet) => octet === 0x0a).length + 1)
      })
  )
})
