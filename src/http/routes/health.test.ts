import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { VERSION } from '../../runtime/version.ts'
import { healthOf } from './health.ts'

const clock = () => new ManualClock(Date.UTC(2029, 11, 1, 12))
const about = (status: string, database: string, timestamp = '2029-12-01T12:00:00.000Z') => {
  return { status, database, timestamp, version: VERSION }
}

test('a database that fails, at once or later, makes it degraded', async () => {
  const failing = [
    () => Promise.reject(new Error('secret host is down')),
    () => {
      throw new Error('closed')
    },
  ]
  for (const check of failing) {
    const { status, body } = await healthOf(check, clock())
    assert.equal(status, 500)
    assert.deepEqual(JSON.parse(body), {
      code: 1,
      message: 'database connection failed',
      data: about('degraded', 'disconnected'),
    })
  }
})

test('a database that says nothing is not waited for longer than 5 seconds', async () => {
  const time = clock()
  const asked = healthOf(() => new Promise(() => {}), time)
  await time.advance(5_000)
  const { status, body } = await asked
  assert.equal(status, 500)
  assert.deepEqual(
    (JSON.parse(body) as { data: object }).data,
    about('degraded', 'disconnected', '2029-12-01T12:00:05.000Z'),
  )
})

test('it is up while its database is, says the version and leaves nothing waiting', async () => {
  const time = clock()
  const { status, body } = await healthOf(async () => {}, time)
  assert.equal(status, 200)
  assert.deepEqual(JSON.parse(body), { code: 0, message: 'healthy', data: about('up', 'connected') })
  assert.equal(time.waiting, 0)
})
