/**
 * The second version of the tables: messages between agents that nobody has taken.
 */

/** The statements that make version 2 out of version 1, in order. */
export const version2: ReadonlyArray<string> = [
  `CREATE TABLE message (
    cursor INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT NOT NULL,
    producer_agent TEXT NOT NULL,
    consumer_agent TEXT NOT NULL,
    message_type TEXT NOT NULL,
    reason TEXT NOT NULL CHECK (reason <> ''),
    at INTEGER NOT NULL,
    envelope TEXT NOT NULL
  ) STRICT`,
  // All that ever were, those included that are forgotten.
  `ALTER TABLE store ADD COLUMN messages INTEGER NOT NULL DEFAULT 0`
]
