/**
 * `muster config show`: what a fleet of this folder runs with, and where each value comes from.
 */
import * as Effect from "effect/Effect"
import { configured } from "../config/Configured.ts"
import { type Origin, type Setting, settingsOf } from "../config/Settings.ts"
import type { ConfigShowJson } from "../json/ConfigJson.ts"
import { answer } from "../output/Answer.ts"
import { type Column, table } from "../output/Table.ts"
import { otlpSetting } from "../run/Exporting.ts"
import { storeSetting } from "../store/StorePath.ts"

const nothing = { config: {}, workflows: [], gates: [], codes: [] }

const originText = ({ kind, name }: Origin): string => name ?? kind

const columns: ReadonlyArray<Column<Setting>> = [
  { title: "setting", value: ({ path }) => path },
  { title: "value", value: ({ text }) => text, shrinkTo: 12 },
  {
    title: "from",
    value: ({ from }) => originText(from),
    paint: (style, { from }, text) => (from.kind === "default" ? style.faint(text) : text)
  }
]

export const configShow = Effect.gen(function* () {
  const found = yield* configured
  const store = yield* storeSetting
  const otlp = yield* otlpSetting(undefined)
  const own = settingsOf(found?.configuration ?? nothing, found?.name ?? null, found?.folder ?? process.cwd())
  const settings: ReadonlyArray<Setting> = [
    { path: "store", value: store.value, text: store.value, from: store.from },
    ...own,
    { path: "otlp", value: otlp.value, text: otlp.value ?? "none", from: otlp.from }
  ]
  const document: ConfigShowJson = {
    file: found?.name ?? null,
    settings: settings.map(({ from, path, value }) => ({ path, value, from }))
  }
  yield* answer(document, (page) => [
    found === null
      ? "No configuration here or in a folder above: all defaults. muster init writes one."
      : `The configuration is ${found.name}.`,
    "",
    ...table(columns, settings, page)
  ])
})
