// Another program that holds the write lock of a store until its standard input ends.
import { DatabaseSync } from "node:sqlite"

const db = new DatabaseSync(process.argv[2] ?? "")
db.exec("BEGIN IMMEDIATE")
process.stdout.write("held\n")
process.stdin.on("end", () => {
  db.exec("ROLLBACK")
  db.close()
})
process.stdin.resume()
