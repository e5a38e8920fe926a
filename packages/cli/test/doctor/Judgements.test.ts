// What the doctor makes of what it sees: pure judgements.
import { assert, describe, it } from "@effect/vitest"
import { type Agent, defaults, type HostRow, type Job } from "@muster/core"
import { HostProbe } from "@muster/fleet"
import { Schema } from "effect"
import { clockDiagnosis } from "../../src/doctor/ClockCheck.ts"
import { some } from "../../src/doctor/Diagnosis.ts"
import { diskDiagnosis, type Room } from "../../src/doctor/DiskCheck.ts"
import { hostDiagnosis, type HostSeen } from "../../src/doctor/HostCheck.ts"
import { isAtLeast, nodeDiagnosis, versionDiagnosis } from "../../src/doctor/NodeCheck.ts"
import { storeDiagnoses } from "../../src/doctor/StoreCheck.ts"
import { workDiagnoses } from "../../src/doctor/WorkCheck.ts"
import { seqIn, standingOf } from "../../src/doctor/WorkspaceCheck.ts"

const gib = 1_073_741_824
const now = 1_000_000

describe("the versions", () => {
  it("of Node.js are compared by their numbers", () => {
    assert.isTrue(isAtLeast("22.19.0", ">=22.19.0"))
    assert.isTrue(isAtLeast("24.2.1", ">=22.19.0"))
    assert.isTrue(isAtLeast("22.20.0-nightly", ">=22.19.0"))
    assert.isFalse(isAtLeast("22.9.9", ">=22.19.0"))
    assert.isFalse(isAtLeast("9.99.0", ">=22.19.0"))
    assert.strictEqual(nodeDiagnosis("20.1.0").verdict, "bad")
    assert.strictEqual(nodeDiagnosis(process.versions.node).verdict, "ok")
  })

  it("of Muster's packages must be one, and it is said whose is another", () => {
    const core = { name: "@muster/core", version: "0.1.0", by: "this command" }
    const fleet = { name: "@muster/fleet", version: "0.2.0", by: "/project" }
    assert.strictEqual(versionDiagnosis([core], "0.1.0").verdict, "ok")
    const mixed = versionDiagnosis([core, fleet], "0.1.0")
    assert.strictEqual(mixed.verdict, "bad")
    assert.include(mixed.found, "@muster/fleet of /project is 0.2.0")
  })
})

describe("the store's file", () => {
  const sound = {
    bytes: 5_000,
    logBytes: 0,
    network: null,
    writable: true,
    isStore: true,
    version: 2,
    known: 2,
    faults: []
  }
  const judged = (change: Partial<Parameters<typeof storeDiagnoses>[1]>) => {
    const { diagnoses, usable } = storeDiagnoses("fleet.db", { ...sound, ...change })
    return {
      usable,
      verdicts: diagnoses.map(({ verdict }) => verdict),
      text: diagnoses.map((one) => one.found).join(" ")
    }
  }

  it("is opened where it is sound and of this program's version, and nowhere else", () => {
    assert.deepInclude(judged({}), { usable: true, verdicts: ["ok"] })
    assert.deepInclude(judged({ faults: null }), { usable: true, verdicts: ["ok"] })
    assert.deepInclude(judged({ writable: false }), { usable: true, verdicts: ["warn", "ok"] })
    assert.deepInclude(judged({ logBytes: gib }), { usable: true, verdicts: ["ok", "warn"] })
    assert.deepInclude(judged({ faults: ["row 3 missing from index"] }), { usable: false, verdicts: ["bad"] })
    assert.deepInclude(judged({ version: 3 }), { usable: false, verdicts: ["bad", "ok"] })
    assert.deepInclude(judged({ version: 1 }), { usable: false, verdicts: ["warn", "ok"] })
    assert.deepInclude(judged({ isStore: false }), { usable: false, verdicts: ["bad"] })
    assert.deepInclude(judged({ network: "NFS" }), { usable: false, verdicts: ["bad", "ok"] })
    assert.include(judged({ version: 3 }).text, "ORCH_STORE_VERSION")
  })
})

describe("the disk", () => {
  const roomy: Room = { bytes: 50 * gib, ofBytes: 100 * gib, files: 1e6, ofFiles: 2e6 }
  const verdict = (change: Partial<Room>) => diskDiagnosis({ ...roomy, ...change }, "/data").verdict

  it("warns below a gibibyte and below a twentieth, of bytes and of files, and is bad where next to nothing is left", () => {
    assert.strictEqual(verdict({}), "ok")
    assert.strictEqual(verdict({ bytes: gib - 1 }), "warn")
    assert.strictEqual(verdict({ bytes: 4 * gib }), "warn")
    assert.strictEqual(verdict({ bytes: gib, ofBytes: 2 * gib }), "ok")
    assert.strictEqual(verdict({ bytes: 1_000_000 }), "bad")
    assert.strictEqual(verdict({ files: 90_000 }), "warn")
    assert.strictEqual(verdict({ files: 3 }), "bad")
    assert.strictEqual(verdict({ files: null, ofFiles: null }), "ok")
  })

  it.prop(
    "never gets better by having less",
    {
      less: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 * gib })),
      more: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 * gib }))
    },
    ({ less, more }) => {
      const rank = { ok: 0, fixed: 0, warn: 1, bad: 2 }
      const [low, high] = [Math.min(less, more), Math.max(less, more)]
      assert.isAtLeast(rank[verdict({ bytes: low })], rank[verdict({ bytes: high })])
    }
  )
})

describe("the clock", () => {
  it("is wrong where the store knows of times that are a lease ahead of it", () => {
    const at = (ahead: number) => clockDiagnosis(now, { at: now + ahead, what: "the store's latest event" })
    assert.strictEqual(clockDiagnosis(now, null).verdict, "ok")
    assert.strictEqual(at(-5_000_000).verdict, "ok")
    assert.strictEqual(at(defaults.leaseMillis).verdict, "ok")
    assert.strictEqual(at(3_600_000).verdict, "bad")
    assert.include(at(3_600_000).found, "1h ahead")
  })
})

describe("a host", () => {
  const identity = { machine: "m", boot_id: "b", pid: 42, start_time: "1" }
  const row: HostRow = {
    host: 3,
    epoch: 3,
    state: "live",
    identity: HostProbe.toText(identity),
    enlisted_at: 0,
    beat: 5,
    beat_at: now - 1_000,
    turn: 1
  }
  const verdict = (change: Partial<HostSeen>, beatAt = row.beat_at) =>
    hostDiagnosis(
      { row: { ...row, beat_at: beatAt }, liveness: "alive", holds: 1, fenced: false, ...change },
      now
    )

  it("is bad where it is proven gone alone; one that is silent may live, and is to be known", () => {
    const silent = now - defaults.leaseMillis
    assert.strictEqual(verdict({}).verdict, "ok")
    assert.strictEqual(verdict({ liveness: "unknown" }).verdict, "ok")
    assert.strictEqual(verdict({}, silent).verdict, "warn")
    assert.strictEqual(verdict({ liveness: "unknown" }, silent).verdict, "warn")
    assert.strictEqual(verdict({ liveness: "gone" }).verdict, "bad")
    assert.include(verdict({ liveness: "gone" }).found, "host 3 (pid 42) is gone")
    assert.strictEqual(verdict({ liveness: "gone", fenced: true }).verdict, "fixed")
  })

  it("that is over leaves work that waits for another one, unless one beats", () => {
    const orphans = { jobs: ["k3f9qx-1"], cut: false, damaged: 0, isHostUp: false }
    const verdicts = (change: Partial<typeof orphans>) =>
      workDiagnoses({ ...orphans, ...change }).map((one) => one.verdict)
    assert.deepStrictEqual(verdicts({}), ["warn"])
    assert.deepStrictEqual(verdicts({ isHostUp: true }), ["ok"])
    assert.deepStrictEqual(verdicts({ jobs: [] }), ["ok"])
    assert.deepStrictEqual(verdicts({ jobs: [], damaged: 2 }), ["bad"])
  })
})

describe("a workspace", () => {
  const tombstoned: Agent = {
    state: "tombstoned",
    incarnation: 2,
    owner: null,
    standing: null,
    phase: null,
    hung: false,
    restarts: [],
    steps: [],
    workspace: null,
    disposition: "landed"
  }
  // only its agent is looked at
  const job = (agent: Agent | null) => ({ agent }) as unknown as Job

  it("is known by the job's id, of this store alone, in whichever life it was made", () => {
    assert.strictEqual(seqIn("k3f9qx", "k3f9qx-17"), 17)
    assert.strictEqual(seqIn("k3f9qx", "k3f9qx-17.2"), 17)
    for (const name of ["other1-17", "17", "k3f9qx-", "k3f9qx-1x", "notes", "k3f9qx-17.2.bak"])
      assert.isUndefined(seqIn("k3f9qx", name), name)
  })

  it("is left over only where its agent's tombstone says that it is removed", () => {
    const removed = `{"workspace":"removed"}`
    assert.strictEqual(standingOf(job(tombstoned), removed), "leftover")
    assert.strictEqual(standingOf(job(tombstoned), null), "unrecorded")
    assert.strictEqual(standingOf(job({ ...tombstoned, workspace: "/w" }), `{"workspace":"kept"}`), "needed")
    assert.strictEqual(standingOf(job({ ...tombstoned, hung: true }), removed), "needed")
    assert.strictEqual(standingOf(job({ ...tombstoned, state: "working" }), removed), "needed")
    assert.strictEqual(standingOf(job(null), removed), "needed")
    assert.strictEqual(standingOf(undefined, removed), "forgotten")
  })
})

describe("some of many names", () => {
  it("are the first ones, and how many there are besides", () => {
    assert.strictEqual(some(["a", "b"], 2), "a, b")
    assert.strictEqual(some(["a", "b", "c", "d"], 2), "a, b and 2 more")
  })
})
