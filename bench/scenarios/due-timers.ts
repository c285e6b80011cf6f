// Timers that are due soon, created through the batch route: what the lateness and burst scenarios wait for.

import type { DuetimeServer } from '../harness/duetime-server.ts'
import { BATCH_PATH, batchBody, isAllStored, timerBody } from '../programs/create-body.ts'

const PER_REQUEST = 1_000

export type DueTimers = {
  readonly namespace?: string
  readonly idPrefix: string
  readonly dueTimes: readonly number[]
  readonly callbackUrl: string
}

export async function createDue(server: DuetimeServer, { idPrefix, dueTimes, ...same }: DueTimers): Promise<void> {
  for (let from = 0; from < dueTimes.length; from += PER_REQUEST) {
    const bodies = dueTimes.slice(from, from + PER_REQUEST).map((dueAt, index) => {
      const id = `${idPrefix}${String(from + index).padStart(16, '0')}`
      return timerBody({ id, executeAt: new Date(dueAt).toISOString(), ...same })
    })
    const answer = await server.post(BATCH_PATH, batchBody(bodies))
    if (!isAllStored(answer)) throw new Error(`some of a batch were refused: …${answer.slice(-500)}`)
  }
}

/** Spread at random over the milliseconds, so that no grid of anybody's flatters or hurts the result. */
export function randomDueTimes(range: {
  readonly from: number
  readonly durationMs: number
  readonly perSecond: number
}): number[] {
  const count = Math.round((range.durationMs / 1_000) * range.perSecond)
  return Array.from({ length: count }, () => range.from + Math.floor(Math.random() * range.durationMs))
}
