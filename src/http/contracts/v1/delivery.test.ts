import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { failedDelivery } from '../../../core/timer/delivery.ts'
import type { DeliveryOutcome } from '../../../core/timer/delivery.ts'
import { ERROR_CHARS_KEPT } from '../../../core/limits.ts'
import type { JsonText, Namespace, TimerId } from '../../../core/timer/timer.ts'
import { aFiring, aReceiver, aTarget, NOT_ABORTED } from '../../../targets/http/delivery.fixture.ts'
import { v1Delivery } from './delivery.ts'

const NOW = Date.UTC(2026, 2, 1, 12)
const FIRING = aFiring('http://127.0.0.1/', { protocol: 'v1' })

function judge(
  status: number,
  body = '',
  more: { headers?: Record<string, string>; truncated?: string } = {},
): DeliveryOutcome {
  const response = { status, body, truncated: more.truncated ?? null, header: (name: string) => more.headers?.[name] }
  return v1Delivery.judge(response, FIRING, NOW)
}

function errorOf(outcome: DeliveryOutcome): string {
  assert.equal(outcome.type, 'failed')
  return outcome.error
}

test('any status outside 2xx is a failure named by it', () => {
  for (const status of [400, 401, 404, 429, 500, 503]) {
    assert.deepEqual(judge(status, '{"ok":true}'), failedDelivery(`HTTP ${status}`, { statusCode: status }))
  }
  assert.deepEqual(
    judge(302, '', { headers: { location: '/elsewhere' } }),
    failedDelivery('HTTP 302 (redirects are not followed)', { statusCode: 302 }),
  )
})

test('410 ends the timer for good, and nothing else does', () => {
  assert.deepEqual(judge(410), failedDelivery('HTTP 410', { statusCode: 410, final: true }))
})

test('the wish to wait is honoured on every failure', () => {
  const retryAfterMs = 120_000
  const headers = { 'retry-after': '120' }
  assert.deepEqual(judge(429, '', { headers }), failedDelivery('HTTP 429', { statusCode: 429, retryAfterMs }))
  const date = { 'retry-after': 'Sun, 01 Mar 2026 12:02:00 GMT' }
  assert.deepEqual(judge(503, '', { headers: date }), failedDelivery('HTTP 503', { statusCode: 503, retryAfterMs }))
  const refused = judge(200, '{"ok":false}', { headers })
  assert.deepEqual(refused, failedDelivery('the receiver answered ok: false', { statusCode: 200, retryAfterMs }))
})

test('any other 2xx is success, whatever its body, and the record of the attempt quotes that', () => {
  const odd = [
    'OK',
    '<html>',
    '{}',
    '{"received":true}',
    '{"ok":"false"}',
    '{"ok":1}',
    'true',
    'false',
    'null',
    '[]',
    '{"ok":true',
    '{"ok":false',
    '""',
  ]
  for (const status of [200, 201, 202]) {
    for (const body of odd)
      assert.deepEqual(judge(status, body), { type: 'delivered', statusCode: status, note: `answered: ${body}` })
  }
  const { note = '' } = judge(200, 'x'.repeat(60_000)) as { note?: string }
  assert.ok(note.length <= ERROR_CHARS_KEPT, note)
})

test('an answer that is too long to be read is success, unless it begins by saying otherwise', () => {
  const cut = judge(200, `<html>${'x'.repeat(1_000)}`, { truncated: 'with more than is read' })
  assert.equal(cut.type, 'delivered')
  assert.match((cut as { note?: string }).note ?? '', /^answered with more than is read: <html>x+…$/)
  const refused = ' { "ok" : false, "error": "' + 'x'.repeat(1_000)
  assert.match(
    errorOf(judge(200, refused, { truncated: 'with more than is read' })),
    /^the receiver answered ok: false, with more than is read$/,
  )
})

test('an answer that breaks off is success, unless it begins by saying otherwise', () => {
  const truncated = 'in part (connection closed before the response was complete)'
  assert.deepEqual(judge(200, '{"received":', { truncated }), {
    type: 'delivered',
    statusCode: 200,
    note: `answered ${truncated}: {"received":`,
  })
  assert.deepEqual(judge(200, '', { truncated }), { type: 'delivered', statusCode: 200, note: `answered ${truncated}` })
  assert.equal(errorOf(judge(200, '{"ok":false,"err', { truncated })), `the receiver answered ok: false, ${truncated}`)
})

test('ok: false is a failure that carries the reason, if one is given', () => {
  assert.equal(errorOf(judge(200, '{"ok":false}')), 'the receiver answered ok: false')
  assert.equal(errorOf(judge(200, '{"ok":false,"nextExecuteAt":null}')), 'the receiver answered ok: false')
  assert.equal(
    errorOf(judge(200, '{"ok":false,"error":"stock is locked"}')),
    'the receiver answered ok: false: stock is locked',
  )
  assert.equal(
    errorOf(judge(200, '{"ok":false,"error":{"a":1},"message":"busy"}')),
    'the receiver answered ok: false: busy',
  )
  assert.ok(errorOf(judge(200, JSON.stringify({ ok: false, error: '💥'.repeat(5_000) }))).length <= ERROR_CHARS_KEPT)
})

test('a next time that is malformed or not in the future is a failure that says so', () => {
  for (const next of ['"tomorrow"', '1772366400000', '"2026-03-01T13:00:00"', '{}', '""', '"PT5M"']) {
    assert.match(
      errorOf(judge(200, `{"ok":false,"nextExecuteAt":${next}}`)),
      /nextExecuteAt .* is not an ISO 8601 instant with an offset$/,
    )
  }
  for (const next of [
    '2026-03-01T12:00:00Z',
    '2026-03-01T11:59:59.999Z',
    '2026-03-01T13:00:00+01:00',
    '1999-01-01T00:00:00Z',
  ]) {
    assert.match(errorOf(judge(200, `{"ok":false,"nextExecuteAt":"${next}"}`)), /is not in the future$/)
  }
  assert.match(errorOf(judge(200, '{"ok":false,"nextExecuteAt":"2199-01-01T00:00:00Z"}')), /more than 100 years ahead$/)
})

test('ok: true and an empty body are success with any 2xx', () => {
  for (const status of [200, 201, 202, 204]) {
    for (const body of ['{"ok":true}', ' { "ok" : true, "more": [1] } ', '\ufeff{"ok":true}', '', '\r\n']) {
      assert.deepEqual(judge(status, body), { type: 'delivered', statusCode: status })
    }
  }
})

test('ok: false with a next time asks for a new firing then', () => {
  const rescheduled = { type: 'rescheduled', nextAt: NOW + 1_500, statusCode: 200 }
  assert.deepEqual(judge(200, '{"ok":false,"nextExecuteAt":"2026-03-01T12:00:01.500Z"}'), rescheduled)
  assert.deepEqual(judge(200, '{"ok":false,"nextExecuteAt":"2026-03-01T14:00:01.500+02:00"}'), rescheduled)
})

test('no answer makes judging throw', () => {
  const known = fc.record({ ok: fc.boolean(), nextExecuteAt: fc.jsonValue(), error: fc.string() })
  const answers = fc.oneof(
    fc.string(),
    fc.json(),
    known.map((answer) => JSON.stringify(answer)),
  )
  fc.assert(fc.property(fc.integer({ min: 200, max: 599 }), answers, (status, body) => void judge(status, body)))
})

test('the body of a one-shot has the timer and its firing, and leaves out what it has not', () => {
  const body = JSON.parse(v1Delivery.request(FIRING).body!) as unknown
  assert.deepEqual(body, {
    id: 'order-1',
    namespace: 'default',
    groupId: 'default',
    payload: { n: 1 },
    executeAt: '2026-03-01T12:00:00.000Z',
    firedAt: '2026-03-01T12:00:00.003Z',
    attempt: 1,
    deliveryId: FIRING.deliveryId,
  })
  const bare = JSON.parse(v1Delivery.request(aFiring('', { payload: null })).body!) as { payload: unknown }
  assert.equal(bare.payload, null)
})

test('the body of a cycle has its schedule and iteration', () => {
  const timer = { schedule: 'R3/PT10M', anchorAt: NOW, iteration: 2, metadata: '{"team":"a"}' as JsonText }
  const body = JSON.parse(v1Delivery.request(aFiring('', timer, { attempt: 3 })).body!) as Record<string, unknown>
  assert.deepEqual(
    [body['schedule'], body['iteration'], body['metadata'], body['attempt']],
    ['R3/PT10M', 2, { team: 'a' }, 3],
  )
})

test('times are written to the millisecond, whatever their order', () => {
  const at = fc.integer({ min: 0, max: Date.UTC(2199, 0) })
  fc.assert(
    fc.property(at, at, fc.nat(2_000), (dueAt, firedAt, laterMs) => {
      for (const [due, fired] of [
        [dueAt, firedAt],
        [dueAt, dueAt + laterMs],
      ] as const) {
        const body = JSON.parse(v1Delivery.request(aFiring('', { dueAt: due }, { firedAt: fired })).body!) as Record<
          string,
          unknown
        >
        assert.deepEqual(
          [body['executeAt'], body['firedAt']],
          [new Date(due).toISOString(), new Date(fired).toISOString()],
        )
      }
    }),
  )
})

test('whatever the id and the payload, the body is JSON that carries them unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.json(), (id, payload) => {
      const firing = aFiring('', { id: id as TimerId, namespace: 'a.b-c' as Namespace, payload: payload as JsonText })
      const { body } = v1Delivery.request(firing)
      assert.ok(body!.includes(`"payload":${payload},`))
      const parsed = JSON.parse(body!) as Record<string, unknown>
      assert.deepEqual([parsed['id'], parsed['groupId'], parsed['payload']], [id, 'a.b-c', JSON.parse(payload)])
    }),
  )
})

test('over the wire: the receiver reads the body and its answer decides', async (t) => {
  const receiver = await aReceiver(t, (response, _, count) => {
    if (count === 1) return response.writeHead(503, { 'retry-after': '7' }).end('busy')
    response.end('{"ok":true}')
  })
  const target = aTarget(t, { protocols: [v1Delivery] })
  const firing = aFiring(receiver.url, { protocol: 'v1' })
  assert.deepEqual(
    await target.deliver(firing, NOT_ABORTED),
    failedDelivery('HTTP 503', { statusCode: 503, retryAfterMs: 7_000 }),
  )
  assert.deepEqual(await target.deliver(firing, NOT_ABORTED), { type: 'delivered', statusCode: 200 })
  assert.equal(receiver.requests[1]?.body, v1Delivery.request(firing).body)
})
