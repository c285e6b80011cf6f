// The floor for lateness on this machine: the due times are known from the start, one setTimeout leads to each, and a
// bare undici pool makes the call. No store, no limits, no outcome.

import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { answerQuestions } from '../harness/helper-side.ts'
import { timerBody } from './create-body.ts'

export type BareTimers = { readonly origin: string; readonly dueTimes: readonly number[] }

answerQuestions<BareTimers, { fired: number }>({}, async ({ origin, dueTimes }) => {
  const pool = new Pool(origin, { connections: 64 })
  const fire = async (dueAt: number, index: number) => {
    // Node may wake a millisecond early; never early is part of the job.
    for (let waitMs = dueAt - Date.now(); waitMs > 0; waitMs = dueAt - Date.now()) await sleep(waitMs)
    const body = timerBody({ id: `bare-${index}`, executeAt: new Date(dueAt).toISOString(), callbackUrl: origin })
    const response = await pool.request({
      method: 'POST',
      path: '/hooks',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await response.body.dump()
  }
  await Promise.all(dueTimes.map(fire))
  await pool.close()
  return { fired: dueTimes.length }
})
