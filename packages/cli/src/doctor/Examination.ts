/**
 * All checks in their order. What can't be opened is not looked into: its own check says why.
 */
import { dirname, join, resolve } from "node:path"
import { NodeHostProbe, NodeProcessReaper } from "@muster/fleet"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { configuredCatalogue } from "../config/ConfiguredCatalogue.ts"
import { logBoundsOf } from "../config/LogBounds.ts"
import { rootOf, workspaceRoot } from "../config/Settings.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { storePath } from "../store/StorePath.ts"
import { checkClock } from "./ClockCheck.ts"
import { checkConfiguration } from "./ConfigurationCheck.ts"
import { type Check, type Diagnosis, of } from "./Diagnosis.ts"
import { checkDisk } from "./DiskCheck.ts"
import { checkDrift } from "./DriftCheck.ts"
import { checkHosts } from "./HostCheck.ts"
import { checkLogs } from "./LogCheck.ts"
import { installedDiagnosis, nodeDiagnosis } from "./NodeCheck.ts"
import { checkProcesses } from "./ProcessCheck.ts"
import { checkSockets } from "./SocketCheck.ts"
import { checkStore } from "./StoreCheck.ts"
import { checkWork } from "./WorkCheck.ts"
import { checkWorkspaces } from "./WorkspaceCheck.ts"

export interface ExaminationOptions {
  readonly fix: boolean
  readonly deep: boolean
}

/** A check that fails says so, and the others go on. */
const guarded = <E extends { readonly message: string }, R>(
  check: Check,
  look: Effect.Effect<ReadonlyArray<Diagnosis>, E, R>
): Effect.Effect<ReadonlyArray<Diagnosis>, never, R> =>
  look.pipe(
    Effect.catch((error) => Effect.succeed([of(check).bad(`it can't be looked at: ${error.message}`, null)]))
  )

type Configured = Effect.Success<typeof checkConfiguration>["configured"]

/** What is looked at in an open store. */
const inStore = Effect.fnUntraced(function* (file: string, configured: Configured, fix: boolean) {
  const found: Array<Diagnosis> = []
  found.push(...(yield* guarded("clock", checkClock)))
  const hosts = yield* Effect.result(checkHosts(fix))
  if (hosts._tag === "Failure") {
    found.push(of("hosts").bad(`they can't be looked at: ${hosts.failure.message}`, null))
    return found
  }
  const seen = hosts.success
  const roots = [
    join(dirname(resolve(file)), "workspaces"),
    configured === null
      ? resolve(workspaceRoot)
      : (rootOf(configured.configuration, configured.folder) ?? resolve(configured.folder, workspaceRoot))
  ]
  found.push(
    ...seen.diagnoses,
    ...(yield* guarded("work", checkWork(seen))),
    ...(yield* checkSockets(file, seen, fix)),
    ...(yield* checkProcesses(seen, fix)),
    ...(yield* guarded("workspaces", checkWorkspaces(roots, fix))),
    ...(yield* guarded("logs", checkLogs(file, logBoundsOf(configured), fix)))
  )
  const catalogue = yield* Effect.result(configuredCatalogue)
  if (catalogue._tag === "Success") found.push(...(yield* guarded("drift", checkDrift(catalogue.success))))
  return found
})

/** The store to mend what is found, or, where it can't be written, to look alone; why not, if so. */
const opened = Effect.fnUntraced(function* (fix: boolean) {
  if (!fix) return { context: yield* Layer.build(StoreFile.layer("read")), refusal: null }
  const written = yield* Effect.result(Layer.build(StoreFile.layer("existing")))
  return written._tag === "Success"
    ? { context: written.success, refusal: null }
    : { context: yield* Layer.build(StoreFile.layer("read")), refusal: written.failure.message }
})

/** Where the store is, and all that was found; `file` is null where the configuration that names it can't be read. */
export const examine = Effect.fnUntraced(function* ({ deep, fix }: ExaminationOptions) {
  const found: Array<Diagnosis> = [nodeDiagnosis(process.versions.node)]
  const { configured, diagnoses } = yield* checkConfiguration
  found.push(installedDiagnosis(configured?.folder ?? process.cwd()), ...diagnoses)
  const path = yield* Effect.result(storePath)
  if (path._tag === "Failure") {
    found.push(of("store").bad(`nobody says where it is: ${path.failure.message}`, "--store FILE names it"))
    return { file: null, diagnoses: found }
  }
  const file = path.success
  const store = yield* checkStore(file, deep)
  found.push(...store.diagnoses, checkDisk(file))
  if (store.usable) {
    const looked = Effect.gen(function* () {
      const { context, refusal } = yield* opened(fix)
      const within = yield* Effect.provide(inStore(file, configured, fix && refusal === null), context)
      if (refusal === null) return within
      return [
        of("store").warn(
          `nothing is mended, since it can't be written: ${refusal}`,
          "its owner may: muster doctor --fix"
        ),
        ...within
      ]
    }).pipe(Effect.scoped, Effect.provide([NodeHostProbe.layer, NodeProcessReaper.layer]))
    found.push(...(yield* guarded("store", looked)))
  }
  return { file, diagnoses: found }
})
