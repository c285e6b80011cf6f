// How much time has passed for the rest of the world. The monotonic clock of a process stands still while its machine is
// suspended; only the wall clock tells afterwards, by a jump against the monotonic one. A jump forwards may as well mean that
// somebody has set the clock, or that a paused virtual machine was given the right time: which of them it was cannot be
// told, so all of them count as time that has passed. Who goes by this trusts what it knows for too short a time at worst.
//
// It is asked at every delivery, so it costs two looks at clocks, and no file of the system is read for it. (/proc/uptime counts
// suspended time on Linux, and nothing for a virtual machine that was paused.)

type TimeSources = { readonly now: () => number; readonly monotonic: () => number }

const JUMP_MS = 100 // more than two readings in a row ever differ by, and little of any lease

/** Milliseconds from an arbitrary origin; never less than before. */
export function elapsedTime({ now, monotonic }: TimeSources): () => number {
  let aheadMs = now() - monotonic()
  let jumpedMs = 0
  return () => {
    const mono = monotonic()
    const newAheadMs = now() - mono
    const jumpMs = newAheadMs - aheadMs
    if (jumpMs > JUMP_MS) jumpedMs += jumpMs
    // A clock that is slewed forwards is followed by its jumps, and one that is set back at once.
    if (jumpMs > JUMP_MS || jumpMs < 0) aheadMs = newAheadMs
    return mono + jumpedMs
  }
}
