#!/usr/bin/env node
// Plain JavaScript without static imports, so that an old Node.js gets this far and says what is wrong.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`muster needs Node.js 22.19 or newer, but this is ${process.version}.`)
  process.exit(1)
}
await import("#main")
