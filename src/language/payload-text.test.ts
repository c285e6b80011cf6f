import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sameJson } from '../core/json/json-equality.ts'
import type { JsonText } from '../core/timer/timer.ts'
import { payloadText, rememberPayloads } from './payload-text.ts'
import type { PayloadOwner } from './payload-text.ts'

const KIB = 1_024

function read(text: string): Record<string, unknown> {
  const body = JSON.parse(text) as Record<string, unknown>
  rememberPayloads(body, text)
  return body
}

const payloadOf = (text: string, maxBytes = KIB) => payloadText(read(text), maxBytes)

test('a payload that is too large as it was sent is refused, spaces included', () => {
  const details = { field: 'payload', bytes: 1_030, maxBytes: KIB }
  assert.throws(() => payloadOf(`{"payload":[1e400${' '.repeat(1_023)}]}`), {
    code: 'PAYLOAD_TOO_LARGE',
    details: { ...details },
  })
  assert.throws(() => payloadText({ payload: 'é'.repeat(514) }, KIB), { code: 'PAYLOAD_TOO_LARGE', details })
  assert.equal(payloadText({ payload: 'é'.repeat(511) }, KIB)!.length, 513)
})

test('no payload is no payload, also where an earlier one of the same name was there', () => {
  assert.equal(payloadOf('{}'), null)
  assert.equal(payloadOf('{"payload":null}'), null)
  assert.equal(payloadOf('{"payload":1e400,"payload":null}'), null)
  const { callback } = read('{"callback":{"payload":1e400},"callback":{"url":"x"}}')
  assert.equal(payloadText(callback as PayloadOwner, KIB), null)
})

test('numbers arrive as they were written, wherever contracts have payloads', () => {
  assert.equal(payloadOf('{"payload":12345678901234567890}'), '12345678901234567890')
  const spaced = '{ "n" : [1e400, -0, 0.10000000000000000001] }'
  assert.equal(payloadOf(` { "id" : "1e5" , "payload" : ${spaced} }`), spaced)
  assert.equal(payloadOf(String.raw`{"p\u0061yload":1e400}`), '1e400')
  const { callback } = read('{"payload":2,"callback":{"type":"http","payload":{"big":9007199254740993}}}')
  assert.equal(payloadText(callback as PayloadOwner, KIB), '{"big":9007199254740993}')
  const { timers } = read(
    '{"timers":[{"payload":9007199254740993},7,{"id":"]"},{"payload":{"a":"}\\"","b":1e400}},{"payload":[3]}]}',
  )
  const texts = (timers as PayloadOwner[]).map((owner) => payloadText(owner, KIB))
  assert.deepEqual(texts, ['9007199254740993', null, null, '{"a":"}\\"","b":1e400}', '[3]'])
})

test('of two payloads the last one counts', () => {
  assert.equal(payloadOf('{"payload":1e400,"payload":9007199254740993}'), '9007199254740993')
  assert.equal(payloadOf('{"payload":1e400,"payload":7}'), '7')
  const { timers } = read('{"timers":[{"payload":1e400}],"timers":[{"payload":8}]}')
  assert.equal(payloadText((timers as PayloadOwner[])[0]!, KIB), '8')
})

test('any payload says the same afterwards, in any place', () => {
  const number = fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/)
  const payloads = fc.tuple(fc.jsonValue(), number).map(([value, n]) => `{"a":${JSON.stringify(value)}, "n":${n}}`)
  fc.assert(
    fc.property(payloads, fc.jsonValue(), (payload, other) => {
      const owners = `"callback":{"y":[1],"payload":${payload} }, "timers":[ {"payload": ${payload}} ]`
      const text = `{"x":${JSON.stringify(other)},${owners},"payload":${payload}}`
      const { callback, timers, ...body } = read(text)
      rememberPayloads(body, text)
      for (const owner of [body, callback, (timers as unknown[])[0]] as PayloadOwner[]) {
        assert.ok(sameJson(payloadText(owner, 100 * KIB), payload as JsonText), payload)
      }
    }),
  )
})
