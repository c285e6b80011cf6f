// How a program tests what it does with time: a clock that stands still until the test moves it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDuetime, testClock } from 'duetime'

test('a customer is reminded once a week, three times', async () => {
  const clock = testClock('2026-01-01T09:00:00Z')
  await using timers = await openDuetime({ database: 'memory:', clock })
  const reminded: string[] = []
  timers.handle('invoices', ({ firedAt }) => void reminded.push(firedAt.toISOString().slice(0, 10)))

  await timers.create({ namespace: 'invoices', id: 'invoice-42', every: '1w', times: 3 })
  await clock.advance('30d')

  assert.deepEqual(reminded, ['2026-01-08', '2026-01-15', '2026-01-22'])
  assert.equal((await timers.get({ namespace: 'invoices', id: 'invoice-42' })).status, 'completed')
})
