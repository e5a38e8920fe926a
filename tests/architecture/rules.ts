// Every rule that the sources alone can answer.
import { noDeadCodes, oneClassACode, tagIsCode } from "./CodeRules.ts"
import {
  acyclic,
  entries,
  inward,
  nodeAtTheEdge,
  sqlInStores,
  testKitOnlyInTests,
  testRunnerOnlyInTests
} from "./PackageRules.ts"
import { everyImplementationRunsItsSuite, everyPortHasASuite } from "./PortRules.ts"
import { ambient, oneEntryPoint, pureDomain, sqlTextInStores } from "./PurityRules.ts"
import type { Rule } from "./Rule.ts"
import { guessablePaths, serviceIdIsPath, shortFiles } from "./ShapeRules.ts"
import { noHoles, noSleeps } from "./TestRules.ts"
import { explainedCasts, noAny, noNonNull } from "./TypeRules.ts"

export const rules: ReadonlyArray<Rule> = [
  inward,
  pureDomain,
  testKitOnlyInTests,
  testRunnerOnlyInTests,
  ambient,
  oneEntryPoint,
  shortFiles,
  serviceIdIsPath,
  acyclic,
  entries,
  guessablePaths,
  sqlInStores,
  sqlTextInStores,
  nodeAtTheEdge,
  noAny,
  noNonNull,
  explainedCasts,
  tagIsCode,
  oneClassACode,
  noDeadCodes,
  everyPortHasASuite,
  everyImplementationRunsItsSuite,
  noHoles,
  noSleeps
]
