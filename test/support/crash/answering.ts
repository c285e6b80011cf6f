// The receivers of the crash test: prompt, slow, failing for a while, or asking for another time, as the payload says.

import { setTimeout as sleep } from 'node:timers/promises'
import { FAILING, OK } from '../receiver.ts'
import type { Answering, Delivery, Reply } from '../receiver.ts'
import type { Payload } from './history.ts'

export function answerAsTold(): Answering {
  /** The first delivery id of each revision that asks for another time: that one is put off, the one after is taken. */
  const putOff = new Map<string, string>()
  return async (delivery: Delivery): Promise<Reply> => {
    const { revision, behaviour } = delivery.body.payload as Payload
    switch (behaviour.type) {
      case 'answer':
        if (behaviour.afterMs > 0) await sleep(behaviour.afterMs)
        return OK
      case 'fail':
        return delivery.attempt <= behaviour.attempts ? FAILING : OK
      case 'reschedule': {
        const key = `${delivery.timerId} ${revision}`
        if (!putOff.has(key)) putOff.set(key, delivery.deliveryId)
        if (putOff.get(key) !== delivery.deliveryId) return OK
        return { status: 200, body: { ok: false, nextExecuteAt: new Date(Date.now() + behaviour.byMs).toISOString() } }
      }
    }
  }
}
