// Creates by the TypeScript SDK, as programs have them: many calls under way, which it gathers into few requests by itself.

import { Duetime } from '../../sdks/typescript/src/index.ts'
import { answerQuestions } from '../harness/helper-side.ts'
import { FAR_URL, ID_COUNTER_DIGITS } from './create-body.ts'

export type SdkCreates = {
  readonly url: string
  readonly callsUnderWay: number
  readonly warmUpMs: number
  readonly durationMs: number
  /** Four characters, as of every load. */
  readonly idPrefix: string
}

const DAY_MS = 86_400_000
const PAYLOAD = { order: 'o-1234567890', reason: 'payment reminder', n: 1 }

answerQuestions<SdkCreates, { perSecond: number }>({}, async (load) => {
  const client = new Duetime({ url: load.url })
  let made = 0
  const createUntil = async (until: number): Promise<number> => {
    const before = made
    const createOneAfterTheOther = async () => {
      while (performance.now() < until) {
        const id = load.idPrefix + String(made++).padStart(ID_COUNTER_DIGITS, '0')
        const at = Date.now() + (2 + Math.random() * 363) * DAY_MS
        await client.create({ id, at, callbackUrl: FAR_URL, payload: PAYLOAD })
      }
    }
    await Promise.all(Array.from({ length: load.callsUnderWay }, createOneAfterTheOther))
    return made - before
  }
  await createUntil(performance.now() + load.warmUpMs)
  const startedAt = performance.now()
  const count = await createUntil(startedAt + load.durationMs)
  return { perSecond: (count / (performance.now() - startedAt)) * 1_000 }
})
