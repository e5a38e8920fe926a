/**
 * Ends a process group: TERM, grace, KILL, until no member lives. A group is known by its leader's pid, which the system can't give
 * away again while the group has members; once it is seen empty it is never signalled again.
 */
import * as System from "./SystemProcesses.ts"

export interface GroupEnd {
  readonly pgid: number
  /** Between TERM and KILL, in milliseconds; 0 kills at once. */
  readonly graceMillis: number
  /** Whether the leader's exit has been seen. Before that the group can't be gone. */
  readonly isLeaderGone: () => boolean
  /** Called once. */
  readonly onGone: () => void
}

const poll = { first: 2, most: 50 }
/** Looking for zombies means looking at every process of the machine, so it is done at this age and then ever less often. In milliseconds. */
const firstZombieLook = 10

/** Sends a signal to a whole group; answers false when nobody is there who could get it. 0 only asks. */
export const send = (pgid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean => {
  try {
    process.kill(-pgid, signal)
    return true
  } catch {
    // ESRCH: no member. EPERM: none that is ours to signal (macOS says so of zombies, too).
    return false
  }
}

/** Whether a group that can be signalled is only zombies: dead, but not collected (Linux; elsewhere they can't be signalled). */
const isOnlyZombies = (pgid: number): boolean =>
  System.hasProc &&
  System.procPids().every((pid) => {
    const found = System.procStat(pid)
    return found === null || found.pgid !== pgid || found.isZombie
  })

export const end = ({ graceMillis, isLeaderGone, onGone, pgid }: GroupEnd): void => {
  const started = performance.now() // real time: processes know no other
  let wait = poll.first
  let zombieLook = firstZombieLook

  const isGone = (age: number): boolean => {
    if (!isLeaderGone()) return false
    if (!send(pgid, 0)) return true
    if (age < zombieLook) return false
    zombieLook = age * 2
    if (!isOnlyZombies(pgid)) return false
    // A member that was born while the list was read is in none of its lines: it gets this, and the second look sees it.
    send(pgid, "SIGKILL")
    return isOnlyZombies(pgid)
  }

  const look = () => {
    const age = performance.now() - started // real time, as above
    if (isGone(age)) {
      onGone()
      return
    }
    // Again and again: a fork may have escaped the last one.
    if (age >= graceMillis) send(pgid, "SIGKILL")
    setTimeout(look, wait) // real time, as above
    wait = Math.min(poll.most, wait * 2)
  }

  if (isGone(0)) onGone()
  else {
    send(pgid, graceMillis > 0 ? "SIGTERM" : "SIGKILL")
    look()
  }
}
