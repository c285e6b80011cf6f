// The timer that every scenario creates: an id of 20 characters, a URL of 40, a payload of about 60 bytes.

export const ID_COUNTER_DIGITS = 16
const PAYLOAD = '{"order":"o-1234567890","reason":"payment reminder","n":1}'
export const FAR_URL = 'http://127.0.0.1:9/hooks/order/reminders'

/**
 * A template as text: where the digits of the counter and the due time (204y-0m-1dT0h:0m:0s.000Z) are, to change them in place.
 * Without an id, which the service then makes, what would be the id is in the payload.
 */
export function createBody(
  idStart: string,
  { withId }: { withId: boolean },
): { text: string; idCounterAt: number; dueTimeAt: number } {
  const id = idStart + '0'.repeat(ID_COUNTER_DIGITS)
  const named = timerBody({ id, executeAt: '2040-01-10T00:00:00.000Z', callbackUrl: FAR_URL })
  const text = withId ? named : named.replace(`"id":"${id}",`, '').replace('o-1234567890', id)
  return { text, idCounterAt: text.indexOf(idStart) + idStart.length, dueTimeAt: text.indexOf('2040-') }
}

export type BenchTimer = {
  readonly namespace?: string
  readonly id: string
  readonly executeAt: string
  readonly callbackUrl: string
}

export function timerBody({ namespace, id, executeAt, callbackUrl }: BenchTimer): string {
  const inNamespace = namespace === undefined ? '' : `"namespace":"${namespace}",`
  return `{${inNamespace}"id":"${id}","executeAt":"${executeAt}","callbackUrl":"${callbackUrl}","payload":${PAYLOAD}}`
}

export function farTimer(id: string, executeAt: string): BenchTimer {
  return { id, executeAt, callbackUrl: FAR_URL }
}

export const BATCH_PATH = '/api/v1/timers/batch'

export function batchBody(timers: readonly string[]): string {
  return `{"timers":[${timers.join(',')}]}`
}

/** Each item of a batch has its own answer; the tally comes last. */
export function isAllStored(answer: string): boolean {
  return answer.endsWith('"failed":0}')
}
