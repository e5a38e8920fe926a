/**
 * Hosts: a number and an epoch for each start, a beat while it lives, and the end of its epoch (R10, R19).
 */
import { HostFenced, type HostRow, type StoreDriver } from "@muster/core"
import { Effect } from "effect"
import { ask, type Connection } from "./Statements.ts"

export const hostColumns = "host, epoch, turn, beat, beat_at, enlisted_at, state, identity"

export const hostRow = (row: HostRow): HostRow => ({
  host: row.host,
  epoch: row.epoch,
  turn: row.turn,
  beat: row.beat,
  beat_at: row.beat_at,
  enlisted_at: row.enlisted_at,
  state: row.state,
  identity: row.identity
})

type Request<Operation extends "enlist" | "renew" | "fence"> = Parameters<StoreDriver[Operation]>[0]

export const enlist = Effect.fnUntraced(function* (
  connection: Connection,
  { at, identity }: Request<"enlist">
) {
  const [row] = yield* ask<HostRow>(
    connection,
    `INSERT INTO host (epoch, turn, beat, beat_at, enlisted_at, state, identity)
    VALUES ((SELECT coalesce(max(epoch), 0) + 1 FROM host), 0, 0, ?, ?, 'live', ?) RETURNING ${hostColumns}`,
    [at, at, identity]
  )
  return row === undefined ? yield* Effect.die("an inserted host was not returned") : hostRow(row)
})

export const renew = Effect.fnUntraced(function* (
  connection: Connection,
  { at, epoch, host }: Request<"renew">
) {
  const [row] = yield* ask<HostRow>(
    connection,
    `UPDATE host SET beat = beat + 1, beat_at = ? WHERE host = ? AND epoch = ? AND state = 'live' RETURNING ${hostColumns}`,
    [at, host, epoch]
  )
  return row === undefined ? yield* new HostFenced({ host, epoch }) : hostRow(row)
})

export const fence = Effect.fnUntraced(function* (connection: Connection, request: Request<"fence">) {
  const { as, at, beat, epoch, host } = request
  const ended = yield* ask(
    connection,
    `UPDATE host SET state = ?, ended_at = ? WHERE host = ? AND epoch = ? AND state = 'live' AND beat = coalesce(?, beat)
    RETURNING host`,
    [as, at, host, epoch, beat]
  )
  return ended.length > 0
})
