/**
 * Errors of a host: its ownership, and its absence.
 */
import { Schema } from "effect"

/** Another host has taken this one for lost; its epoch is over. It stops without writing (R20). */
export class HostFenced extends Schema.TaggedError<HostFenced>()("ORCH_HOST_FENCED", {
  /** The number that the store gave the host. */
  host: Schema.Int,
  /** The epoch that is over. */
  epoch: Schema.Int
}) {
  override get message() {
    return `Host ${this.host} has lost epoch ${this.epoch}: another host adopts its work. It has stopped; start it again.`
  }
}

/** Nobody can be told to drain or to scale: no live host has this number. Nothing was recorded. */
export class HostNotFound extends Schema.TaggedError<HostNotFound>()("ORCH_HOST_NOT_FOUND", {
  host: Schema.Int
}) {
  override get message() {
    return `There is no live host ${this.host} in this store. muster status names the live ones.`
  }
}
