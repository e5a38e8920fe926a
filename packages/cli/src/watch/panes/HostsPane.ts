/**
 * The hosts of the store: their slots, their loops, their banks, and whether they give a sign of life.
 */
import { span, type Span } from "../Cells.ts"
import { age } from "../Figures.ts"
import type { HostLook } from "../FleetLook.ts"
import { pane } from "./Pane.ts"

const mode = ({ answers, beatAt, beating, mode: word }: HostLook, now: number): Span => {
  if (!beating && !answers) return span(`silent ${age(now - beatAt)}`, "bad")
  return span(word, word === "running" ? "good" : "waiting")
}

export const hostsPane = pane<HostLook>({
  name: "hosts",
  title: "hosts",
  count: ({ hosts }) => String(hosts.filter(({ answers, beating }) => beating || answers).length),
  nothing: ({ filter }) =>
    filter === "" ? "no host is running: muster run starts one" : `no host matches "${filter}"`,
  rows: (_state, { hosts }) => hosts,
  id: ({ host }) => String(host),
  words: ({ host, mode: word, pid }) => [host, pid, word],
  columns: ({ now }) => [
    { title: "host", least: 4, align: "right", of: ({ host }) => span(String(host), "title") },
    { title: "mode", least: 8, most: 13, of: (host) => mode(host, now) },
    {
      title: "slots",
      least: 5,
      most: 11,
      align: "right",
      of: ({ slots, used }) => span(`${used}/${slots ?? "?"}`)
    },
    {
      title: "loop",
      least: 7,
      most: 9,
      from: 44,
      of: ({ answers, loop }) => span(loop?.state ?? (answers ? "" : "?"), "faint")
    },
    {
      title: "turns",
      least: 5,
      most: 9,
      from: 60,
      align: "right",
      of: ({ loop }) => span(loop === null ? "" : String(loop.turns), "faint")
    },
    {
      title: "banked",
      least: 6,
      align: "right",
      from: 38,
      of: ({ bankedAt }) => span(bankedAt === null ? "never" : age(now - bankedAt), "faint")
    },
    {
      title: "beat",
      least: 5,
      align: "right",
      from: 48,
      of: ({ beatAt }) => span(age(now - beatAt), "faint")
    },
    {
      title: "pid",
      least: 5,
      most: 8,
      align: "right",
      from: 56,
      of: ({ pid }) => span(pid === null ? "" : String(pid), "faint")
    }
  ]
})
