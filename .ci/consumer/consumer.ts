// A TypeScript host: the packed declarations resolve and say what the sources say.
import * as core from "@muster/core"
import * as fleet from "@muster/fleet"
import * as store from "@muster/store-sqlite"

export const entries: ReadonlyArray<object> = [core, fleet, store]
