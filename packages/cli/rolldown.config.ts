// The packed command is one bundle with a chunk for what each command needs: it starts in a third of the time that some hundred files take.
// The library entry (dist/index.js) stays as tsc wrote it, so that who embeds it has one copy of effect.
import { defineConfig } from "rolldown"

export default defineConfig({
  // main.js stays as tsc wrote it too: for a fleet that runs the code of a configuration, see src/config/Entry.ts
  // ink.js, which knows the terminal's library alone, serves both
  input: { bundle: "src/main.ts", ink: "src/watch/Ink.ts" },
  platform: "node",
  // React's half for its own developers is left out, and with it what ink loads for them; `await using` is not for Node.js 22
  transform: {
    target: "node22",
    define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' }
  },
  resolve: { conditionNames: ["@muster/source", "node", "import", "default"] },
  output: {
    dir: "dist",
    entryFileNames: "[name].js",
    // two folders below the package, as src/*/ is: what is found beside a source is found from its chunk as well
    chunkFileNames: "chunks/[name]-[hash].js",
    sourcemap: true
  }
})
