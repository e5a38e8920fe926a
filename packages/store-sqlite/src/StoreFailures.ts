/**
 * What SQLite says, as the two failures of the Store contract: somebody else holds the file, or the medium or the data is at fault.
 */
import { StoreBroken, StoreBusy } from "@muster/core"
import { Effect } from "effect"
import { SqlError } from "effect/sql"

/** SQLite's own sentence, as in `CHECK constraint failed: hung IN (0, 1)`. */
const sentence = ({ reason }: SqlError.SqlError): string =>
  reason.cause instanceof Error ? reason.cause.message : (reason.message ?? reason._tag)

const storeFailure =
  (operation: string) =>
  (error: SqlError.SqlError): StoreBusy | StoreBroken => {
    const fields = { operation, detail: sentence(error), cause: error }
    switch (error.reason._tag) {
      case "LockTimeoutError":
        return new StoreBusy(fields)
      case "ConstraintError":
      case "UniqueViolation":
        return new StoreBroken({ ...fields, refused: true })
      default:
        return new StoreBroken(fields)
    }
  }

/** Gives the effect's SQL errors their meaning and leaves its other failures alone. */
export const answering =
  (operation: string) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | SqlError.SqlError, R>
  ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StoreBusy | StoreBroken, R> =>
    Effect.mapError(effect, (error) =>
      SqlError.isSqlError(error)
        ? storeFailure(operation)(error)
        : // TypeScript doesn't narrow a type parameter: what is left is not an SQL error.
          (error as Exclude<E, SqlError.SqlError>)
    )
