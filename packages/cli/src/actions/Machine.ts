/**
 * `muster machine`: the tables of the machines, for people, for machines and for diagrams.
 */
import { AgentMachine, JobMachine, LoopMachine, Machine } from "@muster/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { MachineJson } from "../json/MachineJson.ts"
import { answerAll, type Page } from "../output/Answer.ts"
import { paintState } from "../output/Style.ts"
import { wrap } from "../output/Text.ts"

interface Input {
  readonly name: Option.Option<"job" | "agent" | "loop">
  readonly mermaid: boolean
}

const machines: Readonly<Record<"job" | "agent" | "loop", Machine.Machine>> = {
  job: JobMachine,
  agent: AgentMachine,
  loop: LoopMachine
}

const document = (found: Machine.Machine): MachineJson => ({
  name: found.name,
  initial: found.initial,
  states: found.states,
  final: found.final,
  creation: found.creation,
  edges: found.edges,
  meanings: Machine.meaningsOf(found),
  phases: found.phases ?? []
})

/** Names and what they mean, under a title; nothing where there are none. */
const glossary = (
  page: Page,
  title: readonly [name: string, text: string],
  entries: ReadonlyArray<readonly [name: string, text: string]>
): ReadonlyArray<string> => {
  if (entries.length === 0) return []
  const width = Math.max(title[0].length, ...entries.map(([name]) => name.length))
  const room = Math.max(20, page.width - width - 2)
  return [
    "",
    page.style.faint(`${title[0].padEnd(width)}  ${title[1]}`),
    ...entries.map(
      ([name, text]) =>
        `${paintState(page.style, name, name.padEnd(width))}  ${wrap(text, room).join(`\n${" ".repeat(width + 2)}`)}`
    )
  ]
}

/** A move a line, with its reasons beside it, wrapped where there are many. */
const lines = (found: Machine.Machine, page: Page): ReadonlyArray<string> => {
  const creation = { from: "", to: found.initial, ...found.creation }
  const moves = [creation, ...found.edges]
  const size = (pick: (move: (typeof moves)[number]) => string) =>
    Math.max(...moves.map((move) => pick(move).length))
  const from = size((move) => move.from)
  const event = size((move) => move.event)
  const to = size((move) => move.to)
  const indent = from + event + to + 9
  const room = Math.max(20, page.width - indent)
  const title = `${"from".padEnd(from)}  ${"event".padEnd(event)}     ${"to".padEnd(to)}  reasons`
  return [
    page.style.title(found.name),
    page.style.faint(title),
    ...moves.map((move) => {
      const head = [
        paintState(page.style, move.from, move.from.padEnd(from)),
        move.event.padEnd(event),
        `-> ${paintState(page.style, move.to, move.to.padEnd(to))}`
      ].join("  ")
      return `${head}  ${wrap(move.reasons.join(", "), room).join(`\n${" ".repeat(indent)}`)}`
    }),
    page.style.faint(`final: ${found.final.join(", ")}`),
    ...glossary(
      page,
      ["state", "what it means"],
      Object.entries(Machine.meaningsOf(found)).map(([state, meaning]) => [state, meaning])
    ),
    ...glossary(
      page,
      ["phase", "what it does, and in which states"],
      (found.phases ?? []).map(({ does, name, states }) => [name, `${does} (${states.join(", ")})`])
    )
  ]
}

export const machine = Effect.fnUntraced(function* ({ mermaid, name }: Input) {
  const chosen = Option.match(name, {
    onNone: () => Object.values(machines),
    onSome: (one) => [machines[one]]
  })
  if (mermaid) return yield* Console.log(chosen.map((one) => Machine.mermaid(one).trimEnd()).join("\n\n"))
  return yield* answerAll(chosen.map(document), (page) => [
    chosen.map((one) => lines(one, page).join("\n")).join("\n\n")
  ])
})
