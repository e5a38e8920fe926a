/**
 * Bank freshness: a host whose lease is renewed banks within three of its windows. One that doesn't has a loop that stands still, and says
 * nothing of it by itself.
 */
import {
  type BuiltFacet,
  builtInFacet,
  defaults,
  type Firing,
  type FleetGlance,
  reflectionPolicy
} from "@muster/core"
import { Effect } from "effect"

const patience = reflectionPolicy.bankWindows * defaults.bankMillis

const judge = ({ hosts, now }: FleetGlance): Firing | null => {
  const stale = hosts
    .filter(({ beatAt }) => now - beatAt < defaults.leaseMillis)
    .map(({ bankedAt, enlistedAt, host }) => ({ host, bankedAt, age: now - (bankedAt ?? enlistedAt) }))
    .filter(({ age }) => age > patience)
  const [oldest] = stale.toSorted((a, b) => b.age - a.age)
  if (oldest === undefined) return null
  const { age, bankedAt, host } = oldest
  const seconds = Math.round(age / 1_000)
  const what =
    bankedAt === null
      ? `has banked nothing in the ${seconds} s since its start`
      : `has banked last ${seconds} s ago`
  return {
    about: `host:${host}`,
    sentence: `host ${host} gives its beat and ${what}: its loop stands still`,
    followUp: "tell",
    evidence: {
      window_ms: defaults.bankMillis,
      hosts: stale
        .slice(0, 20)
        .map((one) => ({ host: one.host, age_ms: one.age, banked: one.bankedAt !== null }))
    }
  }
}

export const bankFreshness: BuiltFacet = {
  ...builtInFacet("bank-freshness"),
  reflect: (glance) => Effect.sync(() => judge(glance))
}
