// A newer program: its tables have one column more. Opens the store when its standard input ends, and says how that went.
import { Effect, Result } from "effect"
import { connect } from "../../src/Connection.ts"
import { migrate, migrations } from "../../src/Migrations.ts"

const filename = process.argv[2] ?? ""
const steps = [...migrations, ["ALTER TABLE store ADD COLUMN added TEXT DEFAULT 'new'"]]

process.stdout.write("ready\n")
for await (const _ of process.stdin);

await Effect.gen(function* () {
  const result = yield* Effect.result(
    Effect.flatMap(connect({ filename }), (database) => migrate(database, filename, steps))
  )
  process.stdout.write(
    Result.isSuccess(result)
      ? `version ${result.success}\n`
      : `${result.failure._tag} ${result.failure.message}\n`
  )
}).pipe(Effect.scoped, Effect.runPromise)
