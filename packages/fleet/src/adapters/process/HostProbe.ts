/**
 * Who a host is on its machine, and whether such a host still lives (R19). A failed probe is no proof of death: only what is proven gone
 * may be taken over before its lease ends. NodeHostProbe fills it.
 */
import { Context, type Effect, Option, Schema } from "effect"

/** Recorded with the host in the store; it stays true after the process is gone. */
export const HostIdentity = Schema.Struct({
  /** Tells machines apart, and containers from each other: machine id, host name, space of process ids. */
  machine: Schema.String,
  /** Another one after each start of the machine; null where the system tells none. */
  boot_id: Schema.NullOr(Schema.String),
  pid: Schema.Int,
  /** When the process started, in the system's own words: a pid is given away again. */
  start_time: Schema.String
})
export type HostIdentity = typeof HostIdentity.Type

const Text = Schema.fromJsonString(HostIdentity)

/** As it is kept in the host's row. */
export const toText: (identity: HostIdentity) => string = Schema.encodeSync(Text)

/** Null for a text that is no identity; such a host can only be waited for. */
export const fromText = (text: string): HostIdentity | null =>
  Option.getOrNull(Schema.decodeOption(Text)(text))

/** `unknown`: on another machine, or the system doesn't tell. */
export type Liveness = "alive" | "gone" | "unknown"

export class HostProbe extends Context.Service<
  HostProbe,
  {
    /** This process. */
    readonly self: Effect.Effect<HostIdentity>
    readonly probe: (identity: HostIdentity) => Effect.Effect<Liveness>
  }
>()("@muster/fleet/adapters/process/HostProbe") {}
