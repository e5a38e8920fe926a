/**
 * The scenes that `muster model check --bounds` names: all, the quick ones, or one of one's own, by numbers.
 */
import { type Scene, scenes } from "@muster/core/model"
import * as Effect from "effect/Effect"
import { UsageError } from "../UsageError.ts"

/** The numbers that may be given, and how large each may be: more than the largest fits no machine. */
const numbers = {
  hosts: { least: 1, most: 3 },
  slots: { least: 1, most: 4 },
  jobs: { least: 1, most: 4 },
  retries: { least: 0, most: 3 },
  faults: { least: 0, most: 3 }
} as const
type Name = keyof typeof numbers

const isName = (text: string): text is Name => Object.hasOwn(numbers, text)

const hint = `all, quick, or numbers: ${Object.entries(numbers)
  .map(([name, { least, most }]) => `${name}=${least}..${most}`)
  .join(",")}`

const fault = (message: string) => new UsageError({ message, hint })

/** The bounds that stand in the text; what it doesn't name is as in the small scenes. */
const readNumbers = Effect.fnUntraced(function* (text: string) {
  const given = new Map<Name, number>()
  for (const part of text.split(",")) {
    const [name = "", value = "", ...rest] = part.split("=").map((one) => one.trim())
    if (!isName(name) || rest.length > 0) return yield* fault(`--bounds doesn't know "${part.trim()}"`)
    if (given.has(name)) return yield* fault(`--bounds names ${name} twice`)
    const { least, most } = numbers[name]
    const count = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (!(count >= least && count <= most))
      return yield* fault(`--bounds takes ${least} to ${most} ${name}, not "${value}"`)
    given.set(name, count)
  }
  return Object.fromEntries(given)
})

/** The scene of this name with other numbers. */
const withNumbers = (name: Scene["name"], bounds: string, given: Partial<Scene["bounds"]>) =>
  scenes
    .filter((scene) => scene.name === name)
    .flatMap((scene): ReadonlyArray<Scene> => [
      {
        ...scene,
        name: `${bounds}, ${scene.tier === "exhaustive" ? "for safety" : "for liveness"}`,
        about: `numbers of one's own, otherwise as "${name}"`,
        bounds: { ...scene.bounds, ...given }
      }
    ])

/** For numbers: one scene for safety and one for liveness, each made of the small one of its kind. */
export const scenesOf = Effect.fnUntraced(function* (bounds: string) {
  if (bounds === "all") return scenes
  if (bounds === "quick") return scenes.filter(({ quick }) => quick)
  const given = yield* readNumbers(bounds)
  return ["one job, one fault", "one job for ever"].flatMap((name) => withNumbers(name, bounds, given))
})
