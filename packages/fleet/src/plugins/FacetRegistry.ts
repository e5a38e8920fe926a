/**
 * The facets that a plugin host has in its registry: what the drift gate compares with the declared ones.
 */
import type { FacetDeclaration, Plugin } from "@muster/core"
import { Effect } from "effect"
import { reflectionPlugin } from "../reflection/BuiltInPlugin.ts"
import { load } from "./PluginHost.ts"

/** Those of a host of these plugins, Muster's own first. Loads the plugins in this scope. */
export const registered = Effect.fnUntraced(function* (plugins: ReadonlyArray<Plugin.Plugin> = []) {
  const { facets } = yield* load([reflectionPlugin, ...plugins], [])
  return facets.map(({ item }): FacetDeclaration => item)
})
