// The process runner keeps the contract that every runner keeps; its agents are real processes.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assignment, runnerSuite, type RunnerUnderTest } from "@muster/core/testing"
import { Effect } from "effect"
import * as ProcessRunner from "../../../src/adapters/process/ProcessRunner.ts"
import { isLiving, numbersIn } from "./Processes.ts"

/** One program for all endings: the payload is the script. */
const script = (text: string, token?: string) =>
  assignment({
    payload: { script: text },
    payloadJson: JSON.stringify({ script: text }),
    ...(token === undefined ? {} : { token })
  })

const mark = (state: string, rest = "") => `echo '{"type":"marker","name":"pay","state":"${state}"${rest}}'`

const underTest = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "muster-runner-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const pids = join(folder, "pids")
  const runner = yield* ProcessRunner.make({
    command: ["sh", "-c", "{payload.script}"],
    stopGraceMillis: 100
  })
  return {
    runner,
    succeeds: {
      assignment: script(`echo working; echo '{"type":"result","result":{"n":[1,null]}}'`),
      result: { n: [1, null] }
    },
    fails: { assignment: script(`echo '{"type":"error","code":"DQ_NO_ROWS"}'`), code: "DQ_NO_ROWS" },
    crashes: script("kill -SEGV $$"),
    speaks: {
      assignment: script("echo hello"),
      event: { _tag: "Line", source: "stdout", text: "hello", cut: false }
    },
    marks: {
      assignment: script(
        `case "$MUSTER_MARKERS" in *'"pay":'*) ;; *) ${mark("started")}; ${mark("finished", `,"result":{"id":7}`)};; esac; echo '{"type":"result","result":{"id":7}}'`
      ),
      name: "pay",
      result: { id: 7 },
      waits: false
    },
    neverEnds: {
      assignment: script(`sleep 300 & echo $! $$ > ${pids}; echo up; wait`),
      isWorking: Effect.sync(() => numbersIn(pids).some(isLiving))
    }
  } satisfies RunnerUnderTest
})

runnerSuite("ProcessRunner", underTest)
