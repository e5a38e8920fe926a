/**
 * What a key asks of the world outside the board.
 */
export type BoardCommand =
  | { readonly _tag: "OpenLog"; readonly jobId: string }
  | { readonly _tag: "CloseLog" }
  | { readonly _tag: "Cancel"; readonly jobId: string }
  | { readonly _tag: "Pause" }
  | { readonly _tag: "Resume" }
  /** `host` null: all hosts. */
  | { readonly _tag: "Scale"; readonly host: number | null; readonly slots: number }
  | { readonly _tag: "Replay"; readonly jobId: string }
  /** The board goes; in `muster run`, the run is asked to stop. */
  | { readonly _tag: "Quit" }
  /** Back to the shell until it brings us back. */
  | { readonly _tag: "Suspend" }
  /** All of the screen, once more. */
  | { readonly _tag: "Redraw" }
