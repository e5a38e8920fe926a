// The driver is patched, and a patch doesn't reach those who install the tarball: it is inlined into dist/index.js.
// Everything else stays an import. See docs/decisions/0001-effect-4.md.
import { defineConfig } from "rolldown"

export default defineConfig({
  input: "src/index.ts",
  platform: "node",
  external: [/^effect(\/|$)/, /^@muster\//, /^node:/],
  treeshake: { moduleSideEffects: "no-external" },
  output: { file: "dist/index.js", sourcemap: true }
})
