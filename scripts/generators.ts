// Every generated document. To add one, write its function in a file named after the document and list it here.
import { architectureRules } from "./architectureRules.ts"
import { auditRules } from "./auditRules.ts"
import { cliReference } from "./cliReference.ts"
import { errors } from "./errors.ts"
import { exampleCode } from "./exampleCode.ts"
import { exitCodes } from "./exitCodes.ts"
import { fleetModelPage } from "./fleetModel.ts"
import type { Generator } from "./Generator.ts"
import { jsonOutput } from "./jsonOutput.ts"
import { jsonSchemas } from "./jsonSchemas.ts"
import { machines } from "./machines.ts"
import { metricsPage } from "./metrics.ts"
import { rulesPage } from "./rules.ts"
import { seedsPage } from "./seeds.ts"

export const generators: ReadonlyArray<Generator> = [
  architectureRules,
  auditRules,
  cliReference,
  errors,
  ...exampleCode,
  exitCodes,
  fleetModelPage,
  jsonOutput,
  ...jsonSchemas,
  machines,
  metricsPage,
  rulesPage,
  seedsPage
]
