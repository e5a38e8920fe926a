// A configuration as a project has it: Node.js runs it, its functions run in the command's own process.
import { defineFleet } from "@muster/cli/config"
import { Workflow } from "@muster/core"
import { Effect, Schema } from "effect"

export default defineFleet({
  slots: 2,
  store: ".muster/configured.db",
  defaults: { maxRetries: 0 },
  workflows: {
    words: {
      command: ["node", "-e", "console.log(process.argv[1].split(' ').length)", "{text}"],
      gates: ["fine"]
    },
    double: { run: async ({ n }: { n: number }) => ({ twice: n * 2 }) },
    triple: Workflow.make("triple", {
      payload: Schema.Struct({ n: Schema.Int }),
      result: Schema.Struct({ thrice: Schema.Int }),
      run: Effect.fn(function* ({ n }, agent) {
        yield* agent.progress("on it")
        return { thrice: yield* agent.once("write", () => Effect.succeed(n * 3), { result: Schema.Int }) }
      })
    })
  },
  gates: { fine: { command: ["true"], timeout: "10s" } },
  codes: { "EXT_*": { maxAttempts: 2 } }
})
