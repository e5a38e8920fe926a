// What a shell learns of the command: asked of a real shell.
import { execFileSync } from "node:child_process"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type, world } from "../CommandLine.ts"

/** What bash offers after these words. */
const offered = (script: string, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const ask = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
COMP_LINE='${words.join(" ")}'; COMP_POINT=\${#COMP_LINE}
_muster; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync("bash", ["-c", ask], { encoding: "utf8" }).trim().split("\n")
}

layer(world)("muster completions", (it) => {
  it.effect("teaches bash the commands, their subcommands and their flags", () =>
    Effect.gen(function* () {
      const script = (yield* type(["completions", "bash"])).out.join("\n")
      assert.deepStrictEqual(offered(script, ["muster", "stat"]), ["status"])
      assert.includeMembers([...offered(script, ["muster", "dlq", ""])], ["list", "replay", "discard"])
      assert.include(offered(script, ["muster", "events", "--lim"]), "--limit")
    })
  )

  it.effect("has a script for zsh, fish and PowerShell too, and names the shells where one is unknown", () =>
    Effect.gen(function* () {
      for (const shell of ["zsh", "fish", "powershell"])
        assert.include((yield* type(["completions", shell])).out.join("\n"), "timeline", shell)
      const said = yield* type(["completions", "tcsh"])
      assert.strictEqual(said.exitCode, 2)
      assert.include(said.err, "fish")
    })
  )
})
