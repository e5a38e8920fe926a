/**
 * JSON text that the store keeps, as data.
 */

/** Null stays null; text that is no JSON, which only a damaged store holds, stays text. */
export const parsed = (text: string | null): unknown => {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
