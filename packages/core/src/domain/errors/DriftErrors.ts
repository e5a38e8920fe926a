/**
 * The error of the drift gate (seed "Agent-orchestration model": model = territory).
 */
import { Schema } from "effect"

/** What is declared and what is there differ, and the gate was told to block. Nothing was started or changed. */
export class ModelDrift extends Schema.TaggedError<ModelDrift>()("ORCH_MODEL_DRIFT", {
  /** The place that was compared: a store's path, a registry. */
  name: Schema.String,
  /** One line a drift, `MODEL-DRIFT: …`; at least one. */
  lines: Schema.Array(Schema.String)
}) {
  override get message() {
    const [first = "", ...rest] = this.lines
    const more = rest.length === 0 ? "" : ` And ${rest.length} more: muster model drift names all.`
    return `${this.name} is not what the model declares. ${first}.${more}`
  }
}
