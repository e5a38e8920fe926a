/**
 * What a world sees go wrong while it happens: some faults show in the moment only, and no later look at the world would find them. Each name
 * is that of one kind of fault, and an invariant watches for it.
 */
export const alarmNames = [
  "archived-again",
  "begun-beside",
  "cancel-misreported",
  "cleaned-unarchived",
  "key-shared",
  "landed-again",
  "own-row-lost",
  "owner-refused",
  "replayed-twice",
  "rests-beside-work",
  "turned-down-result",
  "workspace-shared",
  "written-when-fenced",
  "written-when-over"
] as const
export type AlarmName = (typeof alarmNames)[number]

export interface Alarm {
  readonly name: AlarmName
  /** A sentence on what has happened. */
  readonly text: string
}
