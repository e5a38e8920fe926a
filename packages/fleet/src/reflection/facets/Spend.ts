/** Spend: declared, and waits for a store that keeps what agents have used. */
import { builtInFacet, type InterfaceReadyFacet } from "@muster/core"

export const spend: InterfaceReadyFacet = builtInFacet("spend")
