/**
 * Errors of what a host was given: configuration and plugins.
 */
import { Schema } from "effect"

/** A setting can't be used. Nothing was started. */
export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()("ORCH_CONFIG_INVALID", {
  /** Where the setting stands, as in `errors["EXT_*"].jitter`. */
  path: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `The configuration is not valid at ${this.path}: ${this.detail}.`
  }
}

/** A plugin failed, or threw, in one of its calls. It costs the job at hand only. */
export class PluginFailed extends Schema.TaggedError<PluginFailed>()("ORCH_PLUGIN_FAILED", {
  plugin: Schema.String,
  /** The call of the port, as in `Gate.check`. */
  operation: Schema.String,
  detail: Schema.String,
  /** What the plugin failed with; absent where it gave nothing. */
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `Plugin "${this.plugin}" failed in ${this.operation}: ${this.detail}.`
  }
}
