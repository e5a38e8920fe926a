// docs/reference/machines.md: the three machines as diagrams and tables, from their tables.
import { AgentMachine, JobMachine, LoopMachine, Machine } from "@muster/core"
import type { Generator } from "./Generator.ts"

const titles = {
  job: 'The life of a job (seed "Orchestrator Lifecycle Reliability").',
  agent: 'The life of an agent (seed "Agent-orchestration model").',
  loop: "The orchestrator's own loop; its moves stay in memory, only stop and bank are stored."
}

const section = (title: string, machine: Machine.Machine): string => {
  const rows = machine.edges.map(
    ({ event, from, reasons, to }) => `| ${from} | ${event} | ${to} | ${reasons.join(", ")} |`
  )
  const { creation, phases = [] } = machine
  return [
    `## ${machine.name}`,
    "",
    title,
    "",
    "```mermaid",
    Machine.mermaid(machine).trimEnd(),
    "```",
    "",
    "| from | event | to | transition_reason |",
    "| --- | --- | --- | --- |",
    `| (none) | ${creation.event} | ${machine.initial} | ${creation.reasons.join(", ")} |`,
    ...rows,
    "",
    `Final: ${machine.final.join(", ")}.`,
    "",
    "| state | what it means |",
    "| --- | --- |",
    ...Object.entries(Machine.meaningsOf(machine)).map(([state, meaning]) => `| ${state} | ${meaning} |`),
    ...(phases.length === 0
      ? []
      : [
          "",
          "| phase, in order | in state | what it does |",
          "| --- | --- | --- |",
          ...phases.map(({ does, name, states }) => `| ${name} | ${states.join(", ")} | ${does} |`)
        ])
  ].join("\n")
}

export const machines: Generator = {
  path: "docs/reference/machines.md",
  section: null,
  make: () =>
    [
      "# State machines",
      "",
      "Generated from the tables in `packages/core/src/domain/*Machine.ts` by `pnpm generate`. An event that is not in the table of a state is",
      "`ORCH_INVALID_STATE_TRANSITION` and changes nothing. `muster machine job|agent|loop` prints the same.",
      "",
      section(titles.job, JobMachine),
      "",
      section(titles.agent, AgentMachine),
      "",
      section(titles.loop, LoopMachine),
      ""
    ].join("\n")
}
