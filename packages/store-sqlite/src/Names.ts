/**
 * Texts that repeat, as numbers: workflows, actors and moves (an event of a table with its reason). A number is given once, in the
 * transaction that first uses it, and never changes; this connection remembers those that it has seen.
 */
import type { EventDraftRow } from "@muster/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { ask, type Connection } from "./Statements.ts"

/** The `actor` of an event whose actor is the agent of the event's own job, by far the most frequent one. */
export const ownAgent = 0

interface Move {
  readonly subject_kind: string
  readonly event: string
  readonly from_state: string | null
  readonly to_state: string | null
  readonly reason: string
  readonly move: number
}

/** Actors and notes may come in any number; forgetting some costs a look-up each. */
const remembered = 10_000

export class Names {
  private readonly workflows = new Map<string, number>()
  private readonly actors = new Map<string, number>()
  private readonly moves = new Map<string, Array<Move>>()
  private readonly unknownWorkflows = new Set<string>()
  private readonly unknownActors = new Set<string>()
  private readonly unknownMoves: Array<EventDraftRow> = []
  private unsettled = false

  /** Whether a number was asked for that is not known yet: then `learn`, and ask again. */
  get incomplete(): boolean {
    return this.unknownWorkflows.size + this.unknownActors.size + this.unknownMoves.length > 0
  }

  workflow(name: string): number {
    const found = this.workflows.get(name)
    if (found !== undefined) return found
    this.unknownWorkflows.add(name)
    return 0
  }

  actor(name: string): number {
    const found = this.actors.get(name)
    if (found !== undefined) return found
    this.unknownActors.add(name)
    return 0
  }

  move(draft: EventDraftRow): number {
    const { event, from_state, subject_kind, to_state, transition_reason } = draft
    for (const move of this.moves.get(transition_reason) ?? []) {
      if (
        move.event === event &&
        move.from_state === from_state &&
        move.to_state === to_state &&
        move.subject_kind === subject_kind
      )
        return move.move
    }
    this.unknownMoves.push(draft)
    return 0
  }

  /** Looks the unknown names up and gives numbers to the new ones. Runs inside the transaction that needs them. */
  readonly learn = Effect.fnUntraced(function* (this: Names, connection: Connection) {
    this.unsettled = true
    for (const name of this.unknownWorkflows) {
      this.workflows.set(
        name,
        yield* numbered(
          ask(connection, `SELECT workflow AS number FROM workflow WHERE name = ?`, [name]),
          ask(connection, `INSERT INTO workflow (name) VALUES (?) RETURNING workflow AS number`, [name])
        )
      )
    }
    for (const name of this.unknownActors) {
      if (this.actors.size >= remembered) this.actors.clear()
      this.actors.set(
        name,
        yield* numbered(
          ask(connection, `SELECT actor AS number FROM actor WHERE name = ?`, [name]),
          ask(connection, `INSERT INTO actor (name) VALUES (?) RETURNING actor AS number`, [name])
        )
      )
    }
    for (const {
      event,
      from_state,
      subject_kind,
      to_state,
      transition_reason: reason
    } of this.unknownMoves) {
      if (this.moves.size >= remembered) this.moves.clear()
      const values = [reason, event, subject_kind, from_state, to_state]
      const move = yield* numbered(
        ask(
          connection,
          `SELECT move AS number FROM move
          WHERE reason = ? AND event = ? AND subject_kind = ? AND from_state IS ? AND to_state IS ?`,
          values
        ),
        ask(
          connection,
          `INSERT INTO move (reason, event, subject_kind, from_state, to_state) VALUES (?, ?, ?, ?, ?)
          RETURNING move AS number`,
          values
        )
      )
      const known = this.moves.get(reason)
      const row = { subject_kind, event, from_state, to_state, reason, move }
      if (known === undefined) this.moves.set(reason, [row])
      else known.push(row)
    }
    this.askNoMore()
  })

  /** Ends a transaction: what a failed one has taught may not be in the store. */
  settle(committed: boolean): void {
    if (!committed && this.unsettled) {
      this.workflows.clear()
      this.actors.clear()
      this.moves.clear()
    }
    this.unsettled = false
    this.askNoMore()
  }

  private askNoMore(): void {
    this.unknownWorkflows.clear()
    this.unknownActors.clear()
    this.unknownMoves.length = 0
  }
}

interface Numbered {
  readonly number: number
}
type Numbering = Effect.Effect<ReadonlyArray<Numbered>, SqlError.SqlError>

const numbered = (find: Numbering, add: Numbering): Effect.Effect<number, SqlError.SqlError> =>
  Effect.flatMap(find, ([found]) =>
    found === undefined ? Effect.map(add, ([added]) => added?.number ?? 0) : Effect.succeed(found.number)
  )
