// The raw limit for bursts: the same calls to the same receiver, from a bare undici pool with as many connections as
// the service opens to one target, by undici's cheapest interface.

import { Pool } from 'undici'
import type { Dispatcher } from 'undici'
import { answerQuestions } from '../harness/helper-side.ts'

export type BarePosts = {
  readonly origin: string
  readonly count: number
  readonly connections: number
  readonly body: string
}

answerQuestions<BarePosts, { posted: number }>({}, async ({ origin, count, connections, body }) => {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  const request: Dispatcher.DispatchOptions = {
    method: 'POST',
    path: '/hooks',
    headers: ['content-type', 'application/json'],
    body,
  }
  let [next, ended] = [0, 0]
  await new Promise<void>((resolve, reject) => {
    const post = () => {
      next++
      pool.dispatch(request, {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd() {
          if (++ended === count) resolve()
          else if (next < count) post()
        },
        onResponseError(_, error) {
          reject(error)
        },
      })
    }
    for (let i = 0; i < Math.min(connections, count); i++) post()
  })
  await pool.close()
  return { posted: ended }
})
