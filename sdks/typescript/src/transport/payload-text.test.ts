import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { answerDelivery } from '../receiving/handler.ts'
import type { Firing } from '../receiving/handler.ts'
import { parseExactly } from './payload-text.ts'

test('a payload with numbers that JavaScript rounds has its text beside it, wherever the timer is', () => {
  const payload =
    '{"id":12345678901234567891,"at":[1e400,-0.12345678901234567890],"text":"98765432109876543210 \\" 1e5","small":7}'
  const timer = `{"id":"a","payload":${payload},"version":1}`
  assert.equal((parseExactly(timer) as Firing).payloadText, payload)
  const { timers } = parseExactly(`{"timers":[{"id":"b","payload":1},${timer}]}`) as { timers: Firing[] }
  assert.deepEqual(
    timers.map(({ payloadText }) => payloadText),
    [undefined, payload],
  )
  const { results } = parseExactly(`{"results":[{"status":409,"details":{"timer":${timer}}}]}`) as {
    results: { details: { timer: Firing } }[]
  }
  assert.equal(results[0]!.details.timer.payloadText, payload)
})

test('all else is what JSON.parse makes of it, and payloads that survive have no text', () => {
  const long = fc.bigInt().map(String)
  fc.assert(
    fc.property(fc.jsonValue(), fc.option(long), (value, id) => {
      const json = JSON.stringify({ payload: value, other: [value] })
      const text = id === null ? json : `{"id":${id},${json.slice(1)}`
      assert.deepEqual(withoutText(parseExactly(text)), JSON.parse(text))
    }),
  )
  for (const text of [
    '{"payload":{"id":9007199254740991,"x":0.1,"e":"1e400"}}',
    '{"payload":"12345678901234567891"}',
    '{"id":12345678901234567891}',
  ]) {
    assert.deepEqual(parseExactly(text), JSON.parse(text))
  }
  assert.throws(() => parseExactly('{"a":12345678901234567891'), SyntaxError)
})

/** Some numbers are written otherwise than JavaScript writes them, and have a text although they survive. */
function withoutText(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, one: unknown) => (name === 'payloadText' ? undefined : one)))
}

test('a handler sees the exact payload', async () => {
  const body = '{"id":"a","deliveryId":"d","payload":{"id":12345678901234567891}}'
  let seen: string | undefined
  await answerDelivery(({ payloadText }) => void (seen = payloadText), { body, headers: {} }, {})
  assert.equal(seen, '{"id":12345678901234567891}')
})
