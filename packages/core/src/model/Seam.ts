/**
 * Where lanes meet. A seam carries one kind of message from one lane to another, and names the file that carries it.
 */

/** What carries messages in Muster, a closed set (design, "The fleet model"). */
export const carriers = {
  mailbox: "a queue in memory with lanes of its own; it may hand a signal over late, and twice",
  store_compare_and_swap: "a transaction that checks epoch and versions",
  lease: "a beat in the host's row",
  timer: "a deadline or an instant that comes due",
  process_stream: "the pipes of a process, or the stream of a runner",
  landing_lock: "one landing at a time, with a fencing token",
  event_bus: "committed events, to whoever watches",
  pressure: "what is scarce: disk, memory, slots that hung agents hold",
  reflection_registry: "the facets that the plugin host holds"
} as const

export type Carrier = keyof typeof carriers

export interface Seam<Lane extends string = string, C extends string = string> {
  /** In kebab-case, unique in its model. */
  readonly id: string
  readonly carrier: C
  /** Who sends. */
  readonly from: Lane
  /** Who receives. */
  readonly to: Lane
  /** What is carried, in a few words. */
  readonly message: string
  /** Whether the sender waits for the answer. */
  readonly synchronous: boolean
  /** The file that carries it, from the root of the repository. */
  readonly carriedBy: string
}
