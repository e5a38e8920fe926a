import { defaultServerConditions } from "vite"
import { defineConfig } from "vitest/config"

const conditions = ["@muster/source", ...defaultServerConditions]
const inPackage = (name: string) => ({
  extends: true as const, // Vitest tells `true` from a path by the literal type
  test: { name, root: `packages/${name}`, include: ["test/**/*.test.ts"] }
})
/** A short selection: `pnpm chaos` plays all scenarios. */
const chaos = {
  extends: true as const, // as above
  test: { name: "chaos", include: ["chaos/**/*.test.ts"] }
}
const workspace = {
  extends: true as const, // as above
  test: { name: "workspace", include: ["tests/**/*.test.ts", "examples/**/*.test.ts"] }
}

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    // Fleet tests play minutes of the clock: a busy machine is no hang.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [...["core", "fleet", "store-sqlite", "cli"].map(inPackage), workspace, chaos],
    coverage: { include: ["packages/*/src/**/*.ts"] }
  }
})
