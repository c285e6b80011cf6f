// Sends batches of creates that were made beforehand, a few requests in flight, and counts what was stored.

import { Pool } from 'undici'
import { answerQuestions } from '../harness/helper-side.ts'
import { farTimers } from '../harness/stored-timers.ts'
import type { DueSpread } from '../harness/stored-timers.ts'
import { batchBody, farTimer, isAllStored, timerBody } from './create-body.ts'

export type Batches = {
  readonly origin: string
  readonly path: string
  readonly requests: number
  readonly timersPerRequest: number
  readonly inFlight: number
  readonly firstId: number
  readonly due: DueSpread
}

export type BatchesResult = { readonly perSecond: number; readonly requestMs: number }

answerQuestions<Batches, BatchesResult>({}, async (batches) => {
  const bodies = Array.from({ length: batches.requests }, (_, request) => Buffer.from(makeBody(batches, request)))
  const pool = new Pool(batches.origin, { connections: batches.inFlight })
  const startedAt = performance.now()
  let next = 0
  const sendOneAfterTheOther = async () => {
    while (next < bodies.length) {
      // As the SDK asks: what it has sent itself need not come back.
      const headers = { 'content-type': 'application/json', prefer: 'return=minimal' }
      const response = await pool.request({ method: 'POST', path: batches.path, headers, body: bodies[next++]! })
      const text = await response.body.text()
      if (response.statusCode >= 300 || !isAllStored(text))
        throw new Error(`${response.statusCode}: …${text.slice(-500)}`)
    }
  }
  await Promise.all(Array.from({ length: batches.inFlight }, sendOneAfterTheOther))
  const elapsedMs = performance.now() - startedAt
  await pool.close()
  const timers = batches.requests * batches.timersPerRequest
  return { perSecond: (timers / elapsedMs) * 1_000, requestMs: (elapsedMs * batches.inFlight) / batches.requests }
})

function makeBody({ timersPerRequest, firstId, due }: Batches, request: number): string {
  const timers = farTimers(firstId + request * timersPerRequest, timersPerRequest, due)
  return batchBody(timers.map(({ id, dueAt }) => timerBody(farTimer(id, new Date(dueAt).toISOString()))))
}
