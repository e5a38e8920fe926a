/**
 * One operation, one job (seed, "Idempotency Rules"; R17). Keys and fingerprints are SHA-256 (hex) of the texts made here; the
 * caller hashes them.
 */

/**
 * What the default key is the hash of: the same workflow and the same payload are the same operation.
 *
 * @param canonicalPayload the encoded payload in the form of RFC 8785
 */
export const keyMaterial = (workflowType: string, canonicalPayload: string): string =>
  // the first line is a JSON string, which holds no line break: no two pairs give the same text
  `${JSON.stringify(workflowType)}\n${canonicalPayload}`

/** What the fingerprint is the hash of: it tells another payload under the same key. */
export const fingerprintMaterial = (canonicalPayload: string): string => canonicalPayload

/**
 * What a submission gets whose key is taken: the job that is there, in whatever state it is, or
 * ORCH_DUPLICATE_IDEMPOTENCY_KEY.
 */
export const answer = (
  existing: { readonly payloadFingerprint: string },
  incomingFingerprint: string
): "duplicate" | "conflict" =>
  existing.payloadFingerprint === incomingFingerprint ? "duplicate" : "conflict"
