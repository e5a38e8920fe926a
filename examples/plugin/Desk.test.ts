import { pluginSuite } from "@muster/core/testing"
import { Effect } from "effect"
import { desk } from "./Desk.ts"
import { scratch } from "./scratch.ts"

pluginSuite(
  "desk",
  Effect.map(scratch, (folder) => ({ plugin: desk(folder) }))
)
