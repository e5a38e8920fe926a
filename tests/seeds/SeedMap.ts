// What the seed "Agent-orchestration model" says, sentence by sentence in our words, and where it stands in the product. The test beside it
// holds every reference: an invariant, a facet, a test's name, a command, a file.

/** Where a sentence stands. */
export type Place =
  | { readonly kind: "invariant" | "facet" | "command" | "file"; readonly name: string }
  | { readonly kind: "test"; readonly name: string; readonly path: string }

export interface Sentence {
  /** The seed's heading. */
  readonly part: string
  readonly says: string
  readonly places: ReadonlyArray<Place>
}

const invariant = (name: string): Place => ({ kind: "invariant", name })
const facet = (name: string): Place => ({ kind: "facet", name })
const command = (name: string): Place => ({ kind: "command", name })
const file = (name: string): Place => ({ kind: "file", name })
const test = (path: string, name: string): Place => ({ kind: "test", path, name })

const model = "packages/core/test/model/Model.test.ts"
const tier = "packages/core/test/model/Tier.test.ts"
const gate = "tests/drift/gate.test.ts"
const planted = "tests/drift/planted.test.ts"

/** One sentence of a part: what it says, and the places. */
const said = (part: string, says: string, ...places: ReadonlyArray<Place>): Sentence => ({
  part,
  says,
  places
})

export const seedMap: ReadonlyArray<Sentence> = [
  said(
    "Structure",
    "Two typed machines carry the journey: the agent's life and the orchestrator's loop.",
    command("muster machine agent"),
    command("muster machine loop"),
    test(model, "has the very tables that move the fleet")
  ),
  said(
    "Structure",
    "An agent is dispatched, prepared to work, landed when what it committed is verified, and cleaned to a tombstone.",
    file("packages/core/src/domain/AgentMachine.ts"),
    test(
      "packages/core/test/Machines.test.ts",
      "has the seed's five transitions under the seed's labels, and the two declared extensions"
    ),
    invariant("dispatched-is-tombstoned"),
    invariant("nothing-left-behind")
  ),
  said(
    "Structure",
    "An agent whose stream is silent is abandoned, and recovered to work later.",
    test(
      "packages/fleet/test/fleet/Silence.test.ts",
      "silence abandons an agent after 5 minutes and not before, and the job is retried"
    ),
    invariant("abandoned-moves-on")
  ),
  said(
    "Structure",
    "The loop observes a completion, lands it, refills the freed slot and banks.",
    file("packages/core/src/domain/LoopMachine.ts"),
    test(
      "packages/fleet/test/fleet/Slots.test.ts",
      "a freed slot is refilled within one turn, in the commit that ends the job before"
    ),
    test(
      "packages/fleet/test/loop/LoopPosition.test.ts",
      "takes every move of the table, for each of its reasons, and tells of it (R13)"
    )
  ),
  said(
    "Structure",
    "A drift gate reconciles the declared states with the live registry's events.",
    command("muster model drift"),
    test(
      "tests/drift/coverage.test.ts",
      "has seen every declared state and transition, and nothing that is not declared"
    )
  ),
  said(
    "Intent",
    "Typed states, typed seams, and invariants whose tier is derived and never typed by hand.",
    command("muster model show"),
    test(tier, "can't be typed by hand"),
    test(tier, "says of every invariant of the fleet what the function says")
  ),
  said(
    "Intent",
    "All of it is held to reality by a drift gate, which tells first and blocks where it is told to.",
    test(gate, "blocks nothing: a new store has the declared words, and the catalogue the declared codes"),
    test(
      "packages/fleet/test/fleet/DriftAtStart.test.ts",
      "is a warning for each line unless the host says otherwise, and the host works"
    ),
    test(
      "packages/fleet/test/fleet/DriftAtStart.test.ts",
      "blocks the start where the host wants that: no host was enlisted"
    )
  ),
  said(
    "Intent",
    "The facets' registry is a node of the model like any other.",
    command("muster facets"),
    test(model, "has the facets as nodes")
  ),
  said(
    "Motivation",
    "The life has phases: dispatch, prepare, sentinel, work, commit, land, tombstone, clean, and the branch of the abandoned.",
    command("muster machine agent"),
    test(model, "says what each state means, and which phases a life goes through in it"),
    invariant("agent-fields-agree")
  ),
  said(
    "Motivation",
    "Landing runs the definition of done.",
    invariant("completed-has-passed-its-gates"),
    test(
      "packages/fleet/test/fleet/Gates.test.ts",
      "a result lands when all gates pass, asked in order, each once"
    )
  ),
  said(
    "Motivation",
    "State is banked when the freshness window has lapsed, and then the loop rests.",
    facet("bank-freshness"),
    test(
      "packages/fleet/test/fleet/Bank.test.ts",
      "is written when its window has lapsed, and not while it is fresh, whatever the loop does meanwhile"
    )
  ),
  said(
    "Motivation",
    "No agent reaches a state that no transition allows.",
    invariant("moves-follow-the-table"),
    test(
      "packages/core/test/StoreMoves.test.ts",
      "is refused for an edge that the table doesn't have, a job that nobody inserts, and a host that moves"
    )
  ),
  said(
    "Motivation",
    "The orchestrator doesn't rest with ratified work queued.",
    invariant("no-rest-beside-work"),
    invariant("runnable-work-starts"),
    facet("capacity")
  ),
  said(
    "Motivation",
    "Exactly one live marker an agent; upload before teardown; exactly one completer.",
    invariant("one-live-marker"),
    invariant("archive-before-teardown"),
    invariant("exactly-one-completer")
  ),
  said(
    "Motivation",
    "What reflects doesn't drift from what was modelled.",
    test(
      gate,
      "blocks nothing: a plugin host has the facets of the model, and they say of themselves what it says"
    )
  ),
  said(
    "Applicability",
    "The method is there already and is reused: derivation, forms, gate.",
    file("packages/core/src/model/Model.ts"),
    file("examples/03-your-own-model.ts")
  ),
  said(
    "Applicability",
    "The life is enacted through a substrate that can be addressed: a registry, tombstones, workspaces.",
    file("packages/store-sqlite/src/schema/Version1.ts"),
    command("muster events"),
    command("muster audit")
  ),
  said(
    "Applicability",
    "A live substrate anchors the model: the registry of facets.",
    file("packages/fleet/src/plugins/FacetRegistry.ts"),
    command("muster facets")
  ),
  said(
    "Sample code",
    "The life is a table, and a guard lets through what the table has.",
    file("packages/core/src/domain/Machine.ts"),
    test(
      "packages/core/test/Machine.test.ts",
      "names machine, state, event and what would be legal when it refuses a move"
    )
  ),
  said(
    "Sample code",
    "Each declared state must be in the live vocabulary and the other way round; each finding is a line, and any fails the run.",
    command("muster model drift --mode block"),
    test(
      planted,
      "a state that was added is missing wherever the store keeps states, each place by its name"
    ),
    test(planted, "a state that was taken away is still what the store lets in")
  ),
  said(
    "Consequences",
    "The life has one source of truth: a new state or a new facet is an edit of the model, or the gate fails.",
    test(planted, "a transition that was deleted from a table stands in the store's CHECK all the same"),
    test(
      "packages/core/test/drift/Drifts.test.ts",
      "are told where they are missing, not declared or different"
    )
  ),
  said(
    "Consequences",
    "It catches what shows in motion only: the orchestrator resting beside work, a facet drifting from its registry.",
    command("muster model check"),
    test(
      "packages/fleet/test/reflection/Shipped.test.ts",
      "speaks where the orchestrator rests with ratified work queued, and has it look again"
    )
  ),
  said(
    "Consequences",
    "The ceremony pays where failures are expensive: a lost agent, two completers, a failure that comes back unseen.",
    invariant("lost-work-is-adopted"),
    invariant("lands-at-most-once"),
    facet("recurring-failure"),
    test(
      "packages/fleet/test/reflection/Shipped.test.ts",
      "speaks of a code that comes back although each job is mended by its retries"
    )
  ),
  said(
    "Example use",
    "Both machines, a closed set of typed seams, and invariants with derived tiers, held against the vocabulary of the registry.",
    command("muster model show --mermaid"),
    file("packages/core/src/model/FleetSeams.ts"),
    test(model, "uses every carrier of the closed set, and no other"),
    test(
      gate,
      "blocks nothing: each invariant of the model has its check in the tier that was derived for it"
    )
  ),
  said(
    "Example use",
    "Facets have a genre, are built or ready to be, refer to their policy, and are held against the registry both ways.",
    file("packages/core/src/domain/reflection/BuiltInFacets.ts"),
    facet("spend"),
    file("packages/fleet/policy/reflection.md"),
    test(
      "packages/core/test/drift/Drifts.test.ts",
      "are told where they are missing, not declared or different"
    )
  ),
  said(
    "Related patterns",
    "The same method serves models of the product.",
    file("examples/03-your-own-model.ts"),
    file("packages/core/src/model/checkers/exhaustive.ts"),
    file("packages/core/src/model/checkers/temporal.ts")
  ),
  said(
    "Related patterns",
    "It models the very substrate that agents run on, and the facets' registry is one of its nodes.",
    file("packages/core/src/model/world/World.ts"),
    file("packages/fleet/src/plugins/FacetRegistry.ts"),
    test(
      "packages/fleet/test/reflection/facets.test.ts",
      "the plugin contributes what is declared, in that order, and nothing else"
    )
  ),
  said(
    "Related patterns",
    "Formal verification of invariants, and parity of declared nodes and registries, applied to the fleet.",
    command("muster model check"),
    file("docs/model.md"),
    file("packages/core/src/model/drift/nodeDrifts.ts")
  )
]
