#!/usr/bin/env node
// Plain JavaScript without static imports, so that an old Node.js gets this far and says what is wrong. The version is answered
// here, before anything else is loaded; compiled code is cached between runs, which takes a third off every start.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`muster needs Node.js 22.19 or newer, but this is ${process.version}.`)
  process.exit(1)
}
const [first, ...rest] = process.argv.slice(2)
if (rest.length === 0 && (first === "--version" || first === "-v")) {
  const { readFileSync } = await import("node:fs")
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  console.log(`muster ${version}`)
} else {
  const { enableCompileCache } = await import("node:module")
  enableCompileCache?.()
  // a configuration's functions need the effect that the fleet has, not one that is bundled with it
  const { runsConfiguredCode } = await import("#entry")
  await import(runsConfiguredCode(process.argv.slice(2)) ? "#unbundled" : "#main")
}
