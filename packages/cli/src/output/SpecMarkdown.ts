/**
 * The fleet's specification in Markdown, for people to read, keep and compare.
 */
import type { FleetSpec } from "@muster/core"
import { oneLine } from "./Text.ts"

type Cell = string | number

/** A row of a table; a bar inside a cell would end it, and names may be anybody's. */
const row = (cells: ReadonlyArray<Cell>): string =>
  `| ${cells.map((cell) => oneLine(String(cell)).replaceAll("|", String.raw`\|`)).join(" | ")} |`

const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>
): ReadonlyArray<string> =>
  rows.length === 0 ? ["None."] : [row(head), row(head.map(() => "---")), ...rows.map(row)]

const code = (text: string): string => `\`${text}\``
const spaced = (word: string): string => word.replaceAll("_", " ")
const yes = (value: boolean): string => (value ? "yes" : "no")

const terminals = {
  never_left: "never left",
  unless_quarantined: "over, unless quarantined",
  no: ""
} as const

const machine = (one: FleetSpec["state_machines"][number]): ReadonlyArray<string> => [
  `### ${one.name}`,
  "",
  "```mermaid",
  one.mermaid.trimEnd(),
  "```",
  "",
  ...table(
    ["state", "what it means", "terminal", "nothing leads at once to"],
    one.states.map(({ meaning, name, terminal }) => [
      name === one.initial ? `${name} (initial)` : name,
      meaning,
      terminals[terminal],
      one.forbidden.find(({ from }) => from === name)?.to.join(", ") ?? ""
    ])
  ),
  "",
  ...table(
    ["from", "event", "to", "transition_reason"],
    [
      ["(nothing)", one.creation.event, one.initial, one.creation.reasons.join(", ")],
      ...one.transitions.map(({ event, from, reasons, to }) => [from, event, to, reasons.join(", ")])
    ]
  ),
  "",
  ...(one.phases.length === 0
    ? []
    : [
        ...table(
          ["phase, in order", "in state", "what it does"],
          one.phases.map(({ does, name, states }) => [name, states.join(", "), does])
        ),
        ""
      ]),
  `Any other move is ${code(one.illegal_move)} and changes nothing. ${one.rules.join(" ")}`,
  ""
]

const idempotency = ({ idempotency: one, workflows }: FleetSpec): ReadonlyArray<string> => [
  "## 2. Idempotency and deduplication",
  "",
  `- Key by default: ${one.key.default}; or ${one.key.own}.`,
  `- Unique by ${one.key.unique_by.map(code).join(" and ")}: ${one.key.guarded_by}.`,
  `- Same key, another payload: ${code(one.other_payload.code)}; nothing runs.`,
  `- After a replay ${one.after_replay}.`,
  `- External writes: ${one.side_effects.rule}; ${one.side_effects.key}. At most ${one.side_effects.max_steps} steps an incarnation, ${one.side_effects.max_result_bytes} bytes each.`,
  "",
  ...table(
    ["the key's job is", "same payload gets", "runs again"],
    one.same_payload.map(({ answer, runs_again, state }) => [state, spaced(answer), yes(runs_again)])
  ),
  "",
  "A step that was started and not finished:",
  "",
  ...table(
    ["policy", "what follows", "workflows"],
    one.side_effects.unknown_outcome.map(({ meaning, policy }) => [
      policy,
      meaning,
      workflows
        .filter(({ unknown_outcome }) => unknown_outcome === policy)
        .map(({ name }) => name)
        .join(", ")
    ])
  ),
  ""
]

/** The attempts of each workflow, or one number where all are the same. */
const attempts = (all: FleetSpec["reactions"][number]["attempts"]): string => {
  const [first] = all
  return first === undefined || all.every(({ allowed }) => allowed === first.allowed)
    ? String(first?.allowed ?? "")
    : all.map(({ allowed, workflow }) => `${workflow}: ${allowed}`).join(", ")
}

const reactions = ({ reactions: all }: FleetSpec): ReadonlyArray<string> => [
  "## 3. Error codes and reactions",
  "",
  "The longest match answers. `*` answers for codes that nobody has declared.",
  "",
  ...table(
    [
      "code",
      "category",
      "severity",
      "first failure",
      "attempts",
      "exhausted",
      "replay",
      "exit",
      "seen",
      "what to do"
    ],
    all.map((one) => [
      code(one.code),
      one.category ?? "any other",
      one.severity,
      spaced(one.first_failure),
      attempts(one.attempts),
      one.exhausted === null ? "" : spaced(one.exhausted),
      one.replay_eligible ? "yes" : "when allowed",
      one.exit_code,
      one.seen,
      one.hint
    ])
  ),
  ""
]

const span = (seconds: number): string => `${seconds} s`

const backoff = ({ backoff: all, reactions: rows }: FleetSpec): ReadonlyArray<string> => [
  "## 4. Exponential backoff",
  "",
  "`delay = min(max_backoff_seconds, backoff_base_seconds * backoff_multiplier ^ attempt_index)`, then the jitter, then the cap again. The wait is a",
  "durable instant: a restart neither forgets nor restarts it. Before attempt 2, 3, …: as planned, and in brackets the band of the jitter.",
  "",
  ...table(
    ["code", "formula", "jitter", "waits", "in all"],
    all.map(({ code: name, complete, formula, total_seconds, waits }) => {
      const jitter = rows.find((one) => one.code === name)?.jitter ?? 0
      return [
        code(name),
        code(formula),
        `± ${Math.round(jitter * 100)} %`,
        waits
          .map(
            ({ delay_seconds, earliest_seconds, latest_seconds }) =>
              `${span(delay_seconds)} (${earliest_seconds} to ${latest_seconds})`
          )
          .join(", ") + (complete ? "" : ", …"),
        span(total_seconds)
      ]
    })
  ),
  ""
]

const marks = { holds: "[x]", broken: "[ ]", attend: "[ ]" } as const

const governance = ({ governance: one }: FleetSpec): ReadonlyArray<string> => [
  "## 5. Dead letters and replays",
  "",
  `${one.letters} letters: ${one.replay_eligible} may be replayed, ${one.forbidden} may not until somebody allows it, ${one.replayed} were replayed, ${one.discarded} discarded.`,
  "",
  ...(one.codes.length === 0
    ? []
    : [
        ...table(
          ["code", "letters", "may be replayed"],
          one.codes.map(({ code: name, letters, replay_eligible }) => [
            code(name),
            letters,
            yes(replay_eligible)
          ])
        ),
        ""
      ]),
  ...one.checklist.map(({ command, id, jobs, seen, sentence, status }) => {
    const named = jobs.length === 0 ? "" : `: ${jobs.join(", ")}`
    return `- ${marks[status]} ${code(id)} ${sentence} ${status === "holds" ? "" : `**${status}** `}(${seen}${named}; ${code(command)})`
  }),
  ""
]

const decisions = ({ decisions: made, ruled_out }: FleetSpec): ReadonlyArray<string> => [
  "## Decided, and ruled out",
  "",
  ...table(
    ["question", "answer", "but", "held by"],
    made.map(({ answer, exceptions, held_by, question }) => [
      question,
      answer,
      exceptions.map(code).join(", "),
      held_by.join(", ")
    ])
  ),
  "",
  ...table(
    ["what can't be", "held by"],
    ruled_out.map(({ held_by, sentence }) => [sentence, held_by.join(", ")])
  )
]

/** The whole document, a line each. */
export const specMarkdown = (spec: FleetSpec): ReadonlyArray<string> => [
  `# Lifecycle of the fleet at ${spec.store}`,
  "",
  spec.configuration === null
    ? "No configuration was found: what follows are the defaults, and what the store knows."
    : `As ${spec.configuration} says, and as the store stands.`,
  "",
  ...table(
    ["workflow", "configured", "max_retries", "unknown outcome"],
    spec.workflows.map(({ configured, max_retries, name, unknown_outcome }) => [
      name,
      yes(configured),
      max_retries,
      unknown_outcome
    ])
  ),
  "",
  "## 1. State machines",
  "",
  ...spec.state_machines.flatMap(machine),
  "### Invariants",
  "",
  ...table(
    ["invariant", "what must be true", "verified by", "source"],
    spec.invariants.map(({ id, sentence, source, verified_by }) => [id, sentence, verified_by, source])
  ),
  "",
  ...idempotency(spec),
  ...reactions(spec),
  ...backoff(spec),
  ...governance(spec),
  ...decisions(spec)
]
