// `pnpm bench NAME [options]`: runs one benchmark of this folder.
const names = ["lifecycle", "retention", "startup", "store-commit"]
const [name = "", ...rest] = process.argv.slice(2)
if (!names.includes(name)) {
  console.error(`usage: pnpm bench ${names.join("|")} [options]`)
  process.exit(2)
}
process.argv.splice(2, process.argv.length, ...rest)
await import(`./${name}.ts`)
