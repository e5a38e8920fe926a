/** The muster command as a library: what its reference is generated from, and the program for those who embed the command line. */
export { muster } from "./Cli.ts"
export * as CliSettings from "./CliSettings.ts"
export { Ended } from "./Ended.ts"
export { type DocumentKind, documents } from "./json/Documents.ts"
export { helpPage } from "./output/HelpPage.ts"
export { plain } from "./output/Style.ts"
export { program } from "./Program.ts"
