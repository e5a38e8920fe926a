/**
 * Keeps secrets out of what is written down (R36): the values of environment names that look like secrets are replaced in
 * any text. Redact before a text is cut: half a secret is not recognised.
 */

/** Stands where a secret stood. */
export const redacted = "[redacted]"

/** Shorter values would also blot out innocent text. */
export const minSecretLength = 8

const secretName =
  /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|(?:^|_)(?:KEYS?|PASS|PAT|AUTH|COOKIE|DSN)(?:_|$)|KEYS?$/i

/** The password of an address, as in `postgres://user:password@host`. */
const passwordInAddress = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i

/** Whether the value of an environment variable of this name is taken for a secret. */
export const isSecretName = (name: string): boolean => secretName.test(name)

/** A secret as it may stand in a text: bare, inside a JSON string, inside an address. */
const spellings = (secret: string): ReadonlyArray<string> => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed())
]

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

/** A function that replaces every secret of `env` in a text. Built once a host; one pass over the text. */
export const redactor = (env: Readonly<Record<string, string | undefined>>): ((text: string) => string) => {
  const found = new Set<string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue
    const secrets = [isSecretName(name) ? value.trim() : "", passwordInAddress.exec(value)?.[1] ?? ""]
    for (const secret of secrets) {
      if (secret.length >= minSecretLength) for (const spelling of spellings(secret)) found.add(spelling)
    }
  }
  if (found.size === 0) return (text) => text
  // the longest first, so that a secret that begins with another one goes as a whole
  const longestFirst = Array.from(found).toSorted((a, b) => b.length - a.length)
  const any = new RegExp(longestFirst.map(escape).join("|"), "g")
  return (text) => text.replace(any, redacted)
}
