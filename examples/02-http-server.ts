// A plain Node.js HTTP server with a fleet behind it, without Effect: POST hands a job in, GET /ID waits for its result. Who hangs up ends
// the wait, not the job. Run it: node --conditions=@muster/source examples/02-http-server.ts
import { mkdtempSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { openFleet, workflow } from "@muster/fleet/promise"
import { SqliteStore } from "@muster/store-sqlite"
import { Schema } from "effect"

// An error's `_tag` is its code, and the code decides: EXT_… is tried again, DQ_… is not.
class TooShort extends Error {
  readonly _tag = "DQ_TOO_SHORT"
}

const shorten = workflow("shorten", {
  // a host checks what strangers send; left out, any JSON is a payload
  payload: Schema.Struct({ text: Schema.String }),
  run: async ({ text }, agent) => {
    await agent.progress(`reading ${text.length} letters`)
    if (text.length < 10) throw new TooShort("there is nothing to leave out")
    return { short: await agent.once("shorten", () => `${text.slice(0, 9)}…`) }
  }
})

const filename = join(mkdtempSync(join(tmpdir(), "muster-")), "fleet.db")
const fleet = await openFleet({ workflows: [shorten], slots: 2, store: SqliteStore.layer({ filename }) })

const answer = async (request: IncomingMessage, signal: AbortSignal): Promise<readonly [number, unknown]> => {
  if (request.method === "POST") {
    const [submitted] = await fleet.submitAll([{ workflowType: "shorten", payload: await json(request) }])
    return [submitted?._tag === "Inserted" ? 202 : 200, submitted?.jobId]
  }
  const { job, result } = await fleet.await(request.url?.slice(1) ?? "", { signal })
  return result === null ? [422, { code: job.lastErrorCode }] : [200, JSON.parse(result)]
}

const refusal = ({ _tag: code }: { readonly _tag?: string }) => [404, { code }] as const
const server = createServer(async (request, response) => {
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  const [status, body] = await answer(request, gone.signal).catch(refusal)
  response.writeHead(status).end(JSON.stringify(body))
})
await new Promise<void>((resolve) => server.listen(0, resolve))

const address = server.address()
const base = `http://localhost:${typeof address === "object" ? address?.port : ""}`
const post = async (text: string) => {
  const posted = await fetch(base, { method: "POST", body: JSON.stringify({ text }) })
  const got = await fetch(`${base}/${String(await posted.json())}`)
  console.log(posted.status, got.status, await got.text())
}
await post("a text that is long enough")
await post("a text that is long enough")
await post("short")
console.log((await fetch(`${base}/nobody-1`)).status)
server.close()
await fleet.close()
