// A model of your own machine, by the method that Muster applies to itself: declare, let the tiers follow, check, and read what breaks.
// This desk forgets to put back what it had packed. Run it: node --conditions=@muster/source examples/03-your-own-model.ts
import { Machine } from "@muster/core"
import { Invariant, Model, property, Temporal, tellTrace, type Walks } from "@muster/core/model"

const desk = Machine.make({
  name: "desk",
  initial: "clear",
  states: ["clear", "packed"],
  final: [],
  creation: { event: "open", reasons: ["morning"] },
  edges: [
    { from: "clear", event: "pack", to: "packed", reasons: ["ordered"] },
    { from: "packed", event: "send", to: "clear", reasons: ["paid"] },
    { from: "packed", event: "cancel", to: "clear", reasons: ["unwanted"] }
  ]
})
type Shop = { readonly desk: "clear" | "packed"; readonly shelf: number; readonly sent: number }

const stock = Invariant.make({
  id: "nothing-is-lost",
  sentence: "What is not on the shelf is on the desk, or was sent.",
  lanes: ["clerk"],
  primitive: "one_commit",
  temporal: Temporal.always(({ desk: at, sent, shelf }: Shop) =>
    shelf + sent + (at === "packed" ? 1 : 0) === 9 ? null : `${shelf} left, and ${sent} sent of 9`
  ),
  source: "the stocktaking"
})
const cleared = Invariant.make({
  id: "desk-is-cleared",
  sentence: "Again and again, the desk is clear.",
  lanes: ["clerk", "customer"],
  primitive: "timer",
  temporal: Temporal.infinitelyOften((shop: Shop) => shop.desk === "clear"),
  source: "the shop's promise"
})
const model = Model.makeUnsafe({
  name: "shop",
  lanes: ["clerk", "customer"].map((id) => ({ id, sentence: `acts as the ${id}` })),
  seams: [],
  machines: [desk],
  invariants: [stock, cleared]
})
for (const { id, temporal, tier } of model.invariants) console.log(`${id}: ${temporal.form}, ${tier}`)

const walks: Walks<Shop, "pack" | "send" | "cancel"> = {
  initial: { desk: "clear", shelf: 9, sent: 0 },
  choose: (shop, dice) => Machine.legal(desk, shop.desk)[dice % Machine.legal(desk, shop.desk).length],
  step: ({ desk: at, sent, shelf }, act) => ({
    desk: Machine.edge(desk, at, act)?.to ?? at,
    shelf: act === "pack" ? shelf - 1 : shelf,
    sent: act === "send" ? sent + 1 : sent
  }),
  tell: (_, act, shop) => ({ act, seen: [`the desk is ${shop.desk}, ${shop.shelf} left, ${shop.sent} sent`] })
}
const options = { seed: 1, walks: 9, length: 12 }
for (const { trace, verdict } of property(Model.ofTier(model, "property"), walks, options))
  console.log(verdict, trace === null ? "" : tellTrace(trace).join("\n"))
