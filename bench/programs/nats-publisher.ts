// Publishes messages to a stream, so many in flight, each acknowledged: the raw limit for events, and the sender of
// commands. A text with {n} in it makes every message its own.

import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { answerQuestions } from '../harness/helper-side.ts'

export type Publishing = {
  readonly url: string
  readonly subject: string
  readonly count: number
  readonly inFlight: number
  readonly text: string
  /** Makes the ids of messages unique over rounds. */
  readonly round: string
}

answerQuestions<Publishing, { durationMs: number }>({}, async ({ url, subject, count, inFlight, text, round }) => {
  const connection = await connect({ servers: url, noAsyncTraces: true })
  const stream = jetstream(connection)
  let next = 0
  const publish = async () => {
    while (next < count) {
      const n = String(next++).padStart(12, '0')
      await stream.publish(subject, text.replaceAll('{n}', n), { msgID: `${round}-${n}` })
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: inFlight }, publish))
  const durationMs = performance.now() - startedAt
  await connection.close()
  return { durationMs }
})
