// Every generated document. To add one, write its function in a file named after the document and list it here.
import { architectureRules } from "./architectureRules.ts"
import { errors } from "./errors.ts"
import type { Generator } from "./Generator.ts"
import { machines } from "./machines.ts"

export const generators: ReadonlyArray<Generator> = [architectureRules, errors, machines]
