// An OpenTelemetry collector as far as HTTP goes: it keeps what it is sent, or does what bad ones do.
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface Collector {
  readonly url: string
  /** The bodies that were sent to a path, as JSON data. */
  readonly sent: (path: string) => ReadonlyArray<unknown>
  /** The same as they came. */
  readonly bodies: (path: string) => ReadonlyArray<string>
  /** All paths, in order. */
  readonly paths: () => ReadonlyArray<string>
  readonly headers: () => ReadonlyArray<Readonly<Record<string, unknown>>>
}

const good = (response: ServerResponse) => void response.end("{}")

/** One that answers as given; gone at the end of the scope. */
export const make = (answer: (response: ServerResponse) => void = good) =>
  Effect.acquireRelease(
    Effect.callback<Collector & { readonly close: () => void }>((resume) => {
      const requests: Array<{ path: string; body: string; headers: Readonly<Record<string, unknown>> }> = []
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
        request.on("end", () => {
          requests.push({ path: request.url ?? "", body, headers: request.headers })
          answer(response)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        // An address of TCP, since the server listens on a port.
        const { port } = server.address() as AddressInfo
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${port}`,
            sent: (path) =>
              requests.filter((one) => one.path === path).map(({ body: text }) => JSON.parse(text)),
            bodies: (path) => requests.filter((one) => one.path === path).map(({ body }) => body),
            paths: () => requests.map(({ path }) => path),
            headers: () => requests.map(({ headers }) => headers),
            close: () => {
              server.closeAllConnections()
              server.close()
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )
