import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isBroken, isResultStart, parse } from "../../../src/adapters/process/LineProtocol.ts"

describe("LineProtocol", () => {
  for (const [line, expected] of [
    ['{"type":"result","result":{"a":[1]}}', { _tag: "Result", value: { a: [1] } }],
    ['  {"result":null, "type":"result"} ', { _tag: "Result", value: null }],
    [
      '{"type":"error","code":"EXT_LIMIT","message":"slow down","retry_after_seconds":1.5}',
      { _tag: "Error", code: "EXT_LIMIT", message: "slow down", retryAfterMillis: 1_500 }
    ],
    ['{"type":"error","code":"x"}', { _tag: "Error", code: "x", message: "", retryAfterMillis: null }],
    [
      '{"type":"error","code":"x","retry_after_seconds":null}',
      { _tag: "Error", code: "x", message: "", retryAfterMillis: null }
    ],
    [
      '{"type":"progress","message":"half","fraction":0.5}',
      { _tag: "Progress", message: "half", fraction: 0.5 }
    ],
    ['{"type":"progress","fraction":1}', { _tag: "Progress", message: "", fraction: 1 }],
    [
      '{"type":"usage","input_tokens":10,"cost":0.25}',
      { _tag: "Usage", inputTokens: 10, outputTokens: null, cost: 0.25 }
    ],
    ['{"type":"extend","seconds":90}', { _tag: "Extend", millis: 90_000 }],
    [
      '{"type":"marker","name":"pay","state":"started"}',
      { _tag: "Marker", name: "pay", state: "started", scope: "job", result: null }
    ],
    [
      '{"type":"marker","name":"think","state":"finished","scope":"attempt","result":[1]}',
      { _tag: "Marker", name: "think", state: "finished", scope: "attempt", result: [1] }
    ],
    [
      '{"type":"marker","name":"pay","state":"cleared","result":1}',
      { _tag: "Marker", name: "pay", state: "cleared", scope: "job", result: null }
    ],
    ['{"type":"needs_input","question":"which?"}', { _tag: "NeedsInput", question: "which?" }]
  ] as const)
    it(`understands ${line}`, () => assert.deepStrictEqual(parse(line), expected))

  for (const line of [
    "",
    "plain",
    "{",
    "[]",
    '"type"',
    '{"type":"result"}',
    '{"type":"result","result":',
    '{"result":1}',
    '{"type":1,"result":1}',
    '{"type":"toString"}',
    '{"type":"__proto__","result":1}',
    '[{"type":"result","result":1}]',
    '{"type":"error","message":"no code"}',
    '{"type":"error","code":7}',
    '{"type":"error","code":"x","retry_after_seconds":"soon"}',
    '{"type":"error","code":"x","retry_after_seconds":-1}',
    '{"type":"progress"}',
    '{"type":"progress","message":"x","fraction":2}',
    '{"type":"usage"}',
    '{"type":"usage","cost":-1}',
    '{"type":"extend"}',
    '{"type":"extend","seconds":1e999}',
    '{"type":"needs_input"}',
    '{"type":"marker","name":"x"}',
    '{"type":"marker","state":"started"}',
    '{"type":"marker","name":1,"state":"started"}',
    '{"type":"marker","name":"x","state":"begun"}',
    '{"type":"marker","name":"x","state":"started","scope":"host"}',
    '{"type":"assistant","message":"of another protocol"}',
    'text {"type":"result","result":1}'
  ])
    it(`takes for a plain line: ${line}`, () => assert.isNull(parse(line)))

  it.each([
    [`{"type":"result","result":oops}`, true],
    [` { "type" : "progress", "message": "half`, true],
    [`{"type":"progress"}`, false],
    [`{"type":"assistant","message":oops}`, false],
    [`{"name":"x"`, false],
    [`text {"type":"result",`, false]
  ])("knows whether a line should have been a message: %s", (line, broken) => {
    assert.strictEqual(isBroken(line), broken)
  })

  it("knows the start of a result that was too long", () => {
    assert.isTrue(isResultStart(' {"type": "result", "result": "xxx'))
    assert.isFalse(isResultStart('{"type":"progress","message":"xxx'))
  })

  it.prop("never throws, whatever the line", [Schema.String], ([line]) => {
    for (const text of [line, `{"type":${line}}`, `{"type":"result","result":${line}}`]) {
      parse(text)
      isBroken(text)
    }
    return true
  })

  it.prop(
    "reads back any result",
    [Schema.Json],
    ([value]) => {
      const read = parse(JSON.stringify({ type: "result", result: value }))
      assert.deepStrictEqual(read, { _tag: "Result", value: JSON.parse(JSON.stringify(value)) })
    },
    { arbitrary: { seed: "protocol" } }
  )
})
