// What names a request in logs and answers: what the client sent as X-Request-ID, so that it finds its own, or one made
// here. It goes into logs and answers, so only short plain words are taken.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const PLAIN = /^[\w.:-]{1,128}$/

/** Those made here are unique over restarts, without asking the random generator for every request. */
export function requestIds(): (request: IncomingMessage) => string {
  const start = randomBytes(5).toString('hex')
  let count = 0
  return ({ headers }) => {
    const given = headers['x-request-id']
    return typeof given === 'string' && PLAIN.test(given) ? given : `req_${start}${(count++).toString(36)}`
  }
}
