import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isSecretName, minSecretLength, redacted, redactor } from "../src/domain/Redaction.ts"

const Secret = Schema.String.check(Schema.isMinLength(minSecretLength), Schema.isPattern(/^\S+$/))

describe("redactor", () => {
  it("tells names that look like secrets from others", () => {
    for (const name of [
      "GITHUB_TOKEN",
      "AWS_SECRET_ACCESS_KEY",
      "DB_PASSWORD",
      "OPENAI_API_KEY",
      "apiKey",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "NPM_AUTH",
      "SIGNING_KEYS",
      "KEY"
    ]) {
      assert.isTrue(isSecretName(name), name)
    }
    for (const name of ["PATH", "HOME", "PWD", "LANG", "KEYBOARD_LAYOUT", "AUTHOR", "COMPASS", "TERM"]) {
      assert.isFalse(isSecretName(name), name)
    }
  })

  it.prop(
    "leaves no value of a secret in any text around it (R36)",
    [Secret, Schema.String, Schema.String],
    ([secret, a, b]) => {
      const redact = redactor({ API_TOKEN: secret })
      return (
        !redact(`${a} ${secret} ${b}`).replaceAll(redacted, "").includes(secret) || redacted.includes(secret)
      )
    }
  )

  it("finds a secret inside JSON and inside an address", () => {
    const secret = 'pass"word\\with/marks'
    const redact = redactor({ DB_PASSWORD: secret })
    assert.strictEqual(redact(JSON.stringify({ secret })), `{"secret":"${redacted}"}`)
    assert.strictEqual(
      redact(`https://me:${encodeURIComponent(secret)}@host/`),
      `https://me:${redacted}@host/`
    )
  })

  it("finds the password inside an address, whatever the variable is called", () => {
    const redact = redactor({ DATABASE_URL: "postgres://app:hunter2hunter2@db/app" })
    assert.strictEqual(redact("login hunter2hunter2 failed for app"), `login ${redacted} failed for app`)
  })

  it("leaves short values and harmless names alone, and takes the longer of two secrets first", () => {
    const redact = redactor({
      A_KEY: "short",
      HOME: "/home/somebody",
      B_KEY: "secret-one",
      C_KEY: "secret-one-and-more"
    })
    assert.strictEqual(redact("short /home/somebody"), "short /home/somebody")
    assert.strictEqual(redact("x secret-one-and-more secret-one"), `x ${redacted} ${redacted}`)
    assert.strictEqual(redactor({})("text"), "text")
  })
})
