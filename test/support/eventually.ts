// Waiting for a fact instead of for a while: asked again and again until it is there, or the time for it is over.

import { setTimeout as sleep } from 'node:timers/promises'

const ASK_AGAIN_MS = 10
/** An upper bound for a machine that does much else, not a judgement: how long something may take is the test's to say. */
const WITHIN_MS = 60_000

/** Resolves with the first answer that is neither null, undefined nor false. An error of the question counts as "not yet". */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
  { withinMs = WITHIN_MS } = {},
): Promise<Exclude<T, null | undefined | false>> {
  const deadline = performance.now() + withinMs
  let lastError: unknown
  do {
    try {
      const answer = await ask()
      if (answer !== null && answer !== undefined && answer !== false)
        return answer as Exclude<T, null | undefined | false>
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    await sleep(ASK_AGAIN_MS)
  } while (performance.now() < deadline)
  throw new Error(`not within ${withinMs} ms: ${what}`, { cause: lastError })
}
