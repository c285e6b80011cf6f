// Schedules through the whole service: written by a client, stored, fired and shown. It is 2029-12-01T12:00:00Z, a Saturday.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { details, HOOK, setup } from './v1.fixture.ts'

const HOUR = 3_600_000

suite('cron', () => {
  test('an error points at the character that is wrong', async (t) => {
    const { call } = await setup(t)
    for (const verb of ['create', 'preview'] as const) {
      const body = { schedule: '0 25 * * *', ...(verb === 'create' && { callbackUrl: HOOK }) }
      const answer = await call(verb, body)
      assert.equal(answer.status, 400)
      assert.match(String(answer.json['message']), /character 3: the hour is 0 to 23, not 25/)
      assert.deepEqual(details(answer), { field: 'schedule', reason: 'format', provided: '0 25 * * *', position: 2 })
    }
  })

  test('fires at each of its times, is shown as it was written, and goes on', async (t) => {
    const { call, clock, firings } = await setup(t)
    const created = await call('create', {
      id: 'report',
      schedule: '0 9 * * *',
      timeZone: 'Europe/Berlin',
      callbackUrl: HOOK,
    })
    assert.equal(created.status, 200, created.text)
    const { schedule, timeZone, executeAt, iteration } = created.json
    assert.deepEqual(
      { schedule, timeZone, executeAt, iteration },
      { schedule: '0 9 * * *', timeZone: 'Europe/Berlin', executeAt: '2029-12-02T08:00:00.000Z', iteration: 1 },
    )
    for (let day = 0; day < 3; day++) await clock.advance(24 * HOUR)
    assert.deepEqual(
      firings.map(({ firedAt }) => new Date(firedAt).toISOString()),
      ['2029-12-02T08:00:00.000Z', '2029-12-03T08:00:00.000Z', '2029-12-04T08:00:00.000Z'],
    )
    assert.equal((await call('get', { timerId: 'report' })).json['iteration'], 4)
  })

  test('ends with endAt, or after maxFirings', async (t) => {
    const { call, clock, firings } = await setup(t)
    await call('create', { id: 'a', schedule: '@hourly', endAt: '2029-12-01T14:00:00Z', callbackUrl: HOOK })
    await call('create', {
      id: 'b',
      schedule: '@hourly',
      maxFirings: 3,
      startAt: '2029-12-01T13:30:00Z',
      callbackUrl: HOOK,
    })
    await call('create', {
      id: 'c',
      schedule: 'R/PT1H',
      maxFirings: 1,
      startAt: '2029-12-01T13:00:00Z',
      callbackUrl: HOOK,
    })
    for (let hour = 0; hour < 9; hour++) await clock.advance(HOUR)
    const count = (id: string) => firings.filter(({ timer }) => timer.id === id).length
    // The first of `a` is now: this very second is 12:00.
    assert.deepEqual([count('a'), count('b'), count('c')], [3, 3, 1])
    for (const timerId of ['a', 'b', 'c']) assert.equal((await call('get', { timerId })).json['status'], 'completed')
    const shown = (await call('get', { timerId: 'b' })).json
    assert.deepEqual([shown['maxFirings'], shown['startAt']], [3, '2029-12-01T13:30:00.000Z'])
  })

  test('bounds of what does not repeat, and rules without a schedule, are refused', async (t) => {
    const { call } = await setup(t)
    const field = async (body: object) => details(await call('create', { callbackUrl: HOOK, ...body }))['field']
    assert.equal(await field({ schedule: 'PT1H', endAt: '2030-01-01T00:00:00Z' }), 'endAt')
    assert.equal(await field({ executeAt: '2030-01-01T00:00:00Z', maxFirings: 2 }), 'maxFirings')
    assert.equal(await field({ schedule: '@daily', startAt: 'tomorrow' }), 'startAt')
    assert.equal(await field({ schedule: '@daily', spread: '25h' }), 'spread')
    assert.equal(
      await field({ schedule: '@daily', startAt: '2031-01-01T00:00:00Z', endAt: '2030-01-01T00:00:00Z' }),
      'endAt',
    )
    await call('create', { id: 'a', schedule: '@daily', callbackUrl: HOOK })
    assert.equal(details(await call('update', { timerId: 'a', endAt: '2031-01-01T00:00:00Z' }))['field'], 'endAt')
  })

  test('an update of the schedule keeps the history', async (t) => {
    const { call, clock } = await setup(t)
    await call('create', { id: 'a', schedule: '30 * * * *', callbackUrl: HOOK })
    await clock.advance(HOUR)
    const { json } = await call('update', { timerId: 'a', schedule: '*/10 * * * *', maxFirings: 5 })
    assert.equal((json['attempts'] as unknown[]).length, 1)
    assert.deepEqual([json['schedule'], json['maxFirings'], json['iteration']], ['*/10 * * * *', 5, 1])
  })
})

suite('local times', () => {
  test('a local time with its zone needs no offset', async (t) => {
    const { call } = await setup(t)
    const due = async (body: object) => (await call('create', { callbackUrl: HOOK, ...body })).json
    const noon = await due({ executeAt: '2030-03-31T09:00:00', timeZone: 'Europe/Berlin' })
    assert.deepEqual(
      [noon['executeAt'], noon['schedule'], noon['timeZone']],
      ['2030-03-31T07:00:00.000Z', '2030-03-31T09:00:00', 'Europe/Berlin'],
    )
    const bracketed = await due({ executeAt: '2030-03-31T09:00:00[Europe/Berlin]' })
    assert.equal(bracketed['executeAt'], '2030-03-31T07:00:00.000Z')
    const skipped = await due({ executeAt: '2030-03-31T02:30', timeZone: 'Europe/Berlin' })
    assert.equal(skipped['executeAt'], '2030-03-31T01:30:00.000Z')
    const second = await due({ executeAt: '2030-10-27T02:30', timeZone: 'Europe/Berlin', dst: { overlap: 'second' } })
    assert.equal(second['executeAt'], '2030-10-27T01:30:00.000Z')
  })

  test('without a zone it is refused, and so is one that clocks skip if that is not to be shifted', async (t) => {
    const { call } = await setup(t)
    const answer = await call('create', { callbackUrl: HOOK, executeAt: '2030-03-31T09:00:00' })
    assert.match(String(answer.json['message']), /has no offset/)
    const skipped = { executeAt: '2030-03-31T02:30', timeZone: 'Europe/Berlin', dst: { gap: 'skip' } }
    assert.match(
      String((await call('create', { callbackUrl: HOOK, ...skipped })).json['message']),
      /clocks in Europe\/Berlin skip/,
    )
  })
})

suite('spread', () => {
  test('firings are later by a part that follows from the id, and both times are shown and delivered', async (t) => {
    const { call, clock, firings } = await setup(t)
    const ids = Array.from({ length: 50 }, (_, index) => `t-${index}`)
    for (const id of ids) await call('create', { id, schedule: '0 13 * * *', spread: 'PT5M', callbackUrl: HOOK })
    const timers = await Promise.all(ids.map(async (timerId) => (await call('get', { timerId })).json))
    assert.ok(timers.every(({ nominalAt }) => nominalAt === '2029-12-01T13:00:00.000Z'))
    const delays = timers.map(({ executeAt }) => Date.parse(String(executeAt)) - Date.parse('2029-12-01T13:00:00Z'))
    assert.ok(new Set(delays).size > 45 && delays.every((ms) => ms >= 0 && ms < 300_000))
    const preview = await call('preview', { schedule: '0 13 * * *', spread: 'PT5M', id: 't-7' })
    assert.equal((preview.json['firings'] as string[])[0], timers[7]!['executeAt'])
    await clock.advance(HOUR - 1)
    assert.equal(firings.length, 0)
    await clock.advance(300_001)
    assert.equal(firings.length, 50)
    assert.ok((await call('get', { timerId: 't-7' })).json['nominalAt'] === '2029-12-02T13:00:00.000Z')
  })
})

suite('preview', () => {
  test('marks the firings that clocks move or show twice', async (t) => {
    const { call } = await setup(t)
    const gap = await call('preview', {
      schedule: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      from: '2030-03-30T00:00:00Z',
      count: 3,
    })
    assert.deepEqual(gap.json['localFirings'], [
      '2030-03-30T02:30:00.000+01:00[Europe/Berlin]',
      '2030-03-31T03:30:00.000+02:00[Europe/Berlin]',
      '2030-04-01T02:30:00.000+02:00[Europe/Berlin]',
    ])
    assert.deepEqual(gap.json['unusual'], [
      {
        executeAt: '2030-03-31T01:30:00.000Z',
        reasons: ['gap'],
        note: 'clocks in Europe/Berlin skip the time that is meant, so it is as much later as they go forward',
      },
    ])
    const overlap = await call('preview', {
      schedule: 'R/2030-10-26T02:30:00+02:00/P1D',
      timeZone: 'Europe/Berlin',
      dst: { overlap: 'both' },
      count: 4,
    })
    assert.deepEqual(overlap.json['firings'], [
      '2030-10-26T00:30:00.000Z',
      '2030-10-27T00:30:00.000Z',
      '2030-10-27T01:30:00.000Z',
      '2030-10-28T01:30:00.000Z',
    ])
    assert.deepEqual(
      (overlap.json['unusual'] as { reasons: string[] }[]).map(({ reasons }) => reasons),
      [['overlap'], ['overlap']],
    )
  })

  test('answers for a range, and in words', async (t) => {
    const { call } = await setup(t)
    const words = async (body: object) => (await call('preview', body)).json['description']
    assert.equal(
      await words({ schedule: '0 9 * * MON-FRI', timeZone: 'Europe/Berlin' }),
      'at 09:00, Monday through Friday, in Europe/Berlin',
    )
    assert.equal(await words({ schedule: 'R3/PT10M' }), 'every 10 minutes, 3 times')
    assert.equal(await words({ schedule: '@daily', maxFirings: 2, spread: '5m' }), 'at 00:00, 2 times, spread over 5m')
    assert.equal(await words({ executeAt: '2030-01-01T00:00:00Z' }), 'once')
    const range = await call('preview', {
      schedule: '@daily',
      from: '2030-01-01T00:00:00Z',
      to: '2030-01-03T00:00:00Z',
    })
    assert.deepEqual(range.json['firings'], ['2030-01-01T00:00:00.000Z', '2030-01-02T00:00:00.000Z'])
  })
})

suite('what was missed, or comes too soon', () => {
  test('is written as words or a number, shown as it was written, and refused otherwise', async (t) => {
    const { call } = await setup(t)
    const made = async (body: object) => call('create', { id: 'a', schedule: '@hourly', callbackUrl: HOOK, ...body })
    const { json } = await made({ catchUp: { max: 3 }, maxLateness: 'PT1H', overlap: 'skip' })
    assert.deepEqual([json['catchUp'], json['maxLateness'], json['overlap']], [{ max: 3 }, '1h', 'skip'])
    assert.equal((await made({ catchUp: 'none' })).json['catchUp'], 'none')
    for (const body of [{ catchUp: 'some' }, { catchUp: { max: 0 } }, { overlap: 'often' }, { maxLateness: '0s' }])
      assert.equal((await made(body)).status, 400, JSON.stringify(body))
    const updated = await call('update', { timerId: 'a', overlap: 'queue', maxLateness: '5m' })
    assert.deepEqual(
      [updated.json['catchUp'], updated.json['overlap'], updated.json['maxLateness']],
      ['none', 'queue', '5m'],
    )
  })

  test('a pause ends by itself, and the last missed iteration fires then', async (t) => {
    const { call, clock, firings } = await setup(t)
    await call('create', { id: 'a', schedule: '30 * * * *', callbackUrl: HOOK })
    const late = await call('pause', { timerId: 'a', until: '2029-12-01T12:00:00Z' })
    assert.equal(details(late)['field'], 'until')
    const paused = await call('pause', { timerId: 'a', until: '2029-12-01T15:00:00Z' })
    assert.deepEqual([paused.json['status'], paused.json['pausedUntil']], ['paused', '2029-12-01T15:00:00.000Z'])
    await clock.advance(3 * HOUR - 1)
    assert.equal(firings.length, 0)
    await clock.advance(1)
    assert.deepEqual(
      firings.map(({ timer, firedAt }) => [timer.iteration, new Date(firedAt).toISOString()]),
      [[3, '2029-12-01T15:00:00.000Z']],
    )
    const { json } = await call('get', { timerId: 'a' })
    assert.deepEqual([json['status'], json['executeAt'], json['skipped']], ['pending', '2029-12-01T15:30:00.000Z', 2])
  })

  test('a pause that is prolonged or made endless does not end', async (t) => {
    const { call, clock, firings } = await setup(t)
    await call('create', { id: 'a', schedule: '30 * * * *', callbackUrl: HOOK })
    await call('pause', { timerId: 'a', until: '2029-12-01T15:00:00Z' })
    assert.equal((await call('pause', { timerId: 'a' })).json['pausedUntil'], undefined)
    await clock.advance(9 * HOUR)
    assert.equal(firings.length, 0)
  })
})
