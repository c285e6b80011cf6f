import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Firing } from '../../../core/timer/delivery.ts'
import { failedDelivery } from '../../../core/timer/delivery.ts'
import type { JsonText } from '../../../core/timer/timer.ts'
import { sampleTimer } from '../../../store/conformance/sample-timer.ts'
import { cyclesDelivery } from './delivery.ts'

const NOW = Date.UTC(2030, 0, 1, 12)
const FIRING: Firing = {
  timer: sampleTimer({ protocol: 'cycles', dueAt: NOW, iteration: 2, metadata: '{"a":1}' as JsonText }),
  deliveryId: 'd-1',
  attempt: 1,
  firedAt: NOW + 3,
}

function judge(status: number, headers: Record<string, string> = {}) {
  return cyclesDelivery.judge(
    {
      status,
      body: 'whatever',
      truncated: 'in part (connection closed before the response was complete)',
      header: (name) => headers[name],
    },
    FIRING,
    NOW,
  )
}

test('anything but a 2xx is a failure, with the wish to wait; 410 is the last word', () => {
  for (const status of [302, 400, 404, 500])
    assert.deepEqual(judge(status), failedDelivery(`HTTP ${status}`, { statusCode: status }))
  assert.deepEqual(
    judge(503, { 'retry-after': '60' }),
    failedDelivery('HTTP 503', { statusCode: 503, retryAfterMs: 60_000 }),
  )
  assert.deepEqual(judge(410), failedDelivery('HTTP 410', { statusCode: 410, final: true }))
})

test('any 2xx is success, whatever its body', () => {
  for (const status of [200, 201, 202, 204, 299])
    assert.deepEqual(judge(status), { type: 'delivered', statusCode: status })
})

test('the body tells which timer fired, when, and which iteration it was', () => {
  const body = (firing: Firing): unknown => JSON.parse(cyclesDelivery.request(firing).body!)
  assert.deepEqual(body(FIRING), {
    timer_id: 'sample',
    tenant_id: 'default',
    status: 'FIRED',
    fired_at: '2030-01-01T12:00:00.003Z',
    scheduled_at: '2030-01-01T12:00:00.000Z',
    iteration: 2,
    metadata: { a: 1 },
  })
  assert.deepEqual(
    (body({ ...FIRING, timer: { ...FIRING.timer, metadata: null } }) as { metadata: unknown }).metadata,
    {},
  )
})
