import { once } from "node:events"
// A run exports by one flag, and a collector that is not there changes neither its answer nor its exit code.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import { inFolder, summaryIn } from "./MusterProcess.ts"

interface Sent {
  readonly path: string
  readonly body: string
}

/** A collector that keeps what it is sent, for as long as `use` takes. */
const withCollector = async (
  use: (url: string, sent: ReadonlyArray<Sent>) => Promise<void>
): Promise<void> => {
  const sent: Array<Sent> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
    request.on("end", () => {
      sent.push({ path: request.url ?? "", body })
      response.end("{}")
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  try {
    // A server that listens on a port has an address of TCP.
    const { port } = server.address() as AddressInfo
    await use(`http://127.0.0.1:${port}`, sent)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const jobs = [{ n: 1 }, { n: 2 }]
const agent = ["--", "sh", "-c", 'echo "$TRACEPARENT" >> traces; [ {n} = 1 ] && echo ok']
/** Asks, which is logged, before it does the same. */
const asking = [
  ...agent.slice(0, -1),
  `echo '{"type":"needs_input","question":"which?"}'; sleep 1; ${agent.at(-1)}`
]
const json = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }

describe("muster run --otlp", () => {
  it("exports metrics, the trace of each job and what is logged; agents find theirs in TRACEPARENT", () =>
    withCollector((url, sent) =>
      inFolder(async ({ lines, startWith, write }) => {
        write("jobs.jsonl", jobs)
        const args = ["run", "jobs.jsonl", "--max-retries", "0", "--otlp", url, ...asking]
        const { code, err } = await startWith(json, args).ended
        assert.strictEqual(code, 3, err)
        const of = (path: string): string =>
          sent
            .filter((one) => one.path === path)
            .map(({ body }) => body)
            .join()
        assert.include(of("/v1/metrics"), '"name":"muster.jobs.ended"')
        assert.include(of("/v1/metrics"), '"stringValue":"DEAD_LETTERED"')
        assert.match(of("/v1/logs"), /waits for an answer[^]*"key":"muster.job_id"/)
        for (const name of ["Fleet.submitOne", "Agent.incarnation", "Agent.work"])
          assert.include(of("/v1/traces"), `"name":"${name}"`)
        // Each commit and each look at the store is none of a job's.
        assert.notInclude(of("/v1/traces"), '"name":"Store.')
        const handed = lines("traces").map((line) => line.split("-"))
        assert.strictEqual(handed.length, 2)
        for (const [, traceId = "?", spanId = "?"] of handed)
          assert.include(of("/v1/traces"), `"traceId":"${traceId}","spanId":"${spanId}"`)
      })
    ))

  it("ends as it would without, and says so, when nobody listens there", () =>
    inFolder(async ({ startWith, write }) => {
      let gone = ""
      await withCollector(async (url) => void (gone = url))
      write("jobs.jsonl", jobs)
      const args = ["run", "jobs.jsonl", "--json", "--max-retries", "0", ...agent]
      const { code, err, out } = await startWith({ OTEL_EXPORTER_OTLP_ENDPOINT: gone }, args).ended
      assert.strictEqual(code, 3, err)
      assert.strictEqual(summaryIn(out)["completed"], 1)
      assert.match(err, /nothing reaches the collector .*ECONNREFUSED/)
    }))
})
