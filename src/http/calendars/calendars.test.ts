// Calendars through the whole service: written by a client, stored, named by timers, changed. It is 2029-12-01T12:00:00Z, a Saturday.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { details, HOOK, setup as setupV1 } from '../contracts/v1/v1.fixture.ts'
import type { Answer, TestServerOptions } from '../test-server.fixture.ts'

const HOUR = 3_600_000
const WEEKDAYS = { exclude: ['SAT-SUN'] }

async function setup(t: TestContext, options: TestServerOptions = {}) {
  const server = await setupV1(t, options)
  const calendar = (method: string, name: string, body?: unknown) =>
    server.request(`/api/v1/calendars${name}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  const put = async (name: string, body: unknown) => {
    const answer = await calendar('PUT', `/${name}`, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.json
  }
  const create = async (body: object) => {
    const answer = await server.call('create', { callbackUrl: HOOK, ...body })
    assert.equal(answer.status, 200, answer.text)
    return answer.json
  }
  const fired = () =>
    server.firings.map(({ timer, firedAt }) => `${timer.id} ${new Date(firedAt).toISOString().slice(8, 16)}`)
  const pass = async (hours: number) => {
    for (let left = hours; left > 0; left -= 12) await server.clock.advance(Math.min(12, left) * HOUR)
  }
  return { ...server, calendar, put, create, fired, pass }
}

suite('calendars', () => {
  test('what is wrong with one is refused at its field, and nothing is stored', async (t) => {
    const { calendar } = await setup(t)
    const refused: readonly [string, unknown, string, RegExp][] = [
      ['/a', { exclude: ['SAT', 'christmas'] }, 'exclude[1]', /not an entry/],
      ['/a', { exclude: ['SUN-SAT'] }, 'exclude', /allows nothing/],
      ['/a', { timeZone: 'Nowhere' }, 'timeZone', /timeZone/],
      ['/a', { exclude: Array.from({ length: 1_001 }, () => 'SUN') }, 'exclude', /1000/],
      ['/a', { exclude: 'SUN' }, 'exclude', /exclude/],
      ['/a', { excluded: [] }, 'excluded', /excluded/],
      ['/a%20b', {}, 'name', /name of a calendar/],
      ['/a?namespace=~calendars', {}, 'namespace', /namespace/],
    ]
    for (const [path, body, field, message] of refused) {
      const answer = await calendar('PUT', path, body)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(details(answer)['field'], field, answer.text)
      assert.match(String(answer.json['message']), message)
    }
    assert.deepEqual((await calendar('GET', '')).json, { calendars: [] })
    for (const method of ['GET', 'DELETE'])
      assert.deepEqual(
        [(await calendar(method, '/a')).status, (await calendar(method, '/a')).json['error']],
        [404, 'CALENDAR_NOT_FOUND'],
      )
  })

  test('one is made, replaced, read, listed by name and deleted, in its namespace alone', async (t) => {
    const { calendar, put } = await setup(t)
    const holidays = { timeZone: 'Europe/Berlin', exclude: ['--12-25'], allow: [] }
    assert.deepEqual(await put('holidays', { timeZone: 'Europe/Berlin', exclude: ['--12-25'] }), {
      namespace: 'default',
      name: 'holidays',
      ...holidays,
    })
    await put('business', { allow: ['MON-FRI 09:00-17:00'] })
    await put('holidays?namespace=shop', WEEKDAYS)
    await put('business', { allow: ['MON-FRI 08:00-18:00'] })
    const listed = (await calendar('GET', '')).json['calendars'] as { name: string; allow: string[] }[]
    assert.deepEqual(listed.map(({ name }) => name), ['business', 'holidays']) // oxfmt-ignore
    assert.deepEqual(listed[0]!.allow, ['MON-FRI 08:00-18:00'])
    assert.equal((await calendar('DELETE', '/holidays')).status, 204)
    assert.equal((await calendar('GET', '/holidays')).status, 404)
    assert.deepEqual((await calendar('GET', '/holidays?namespace=shop')).json['exclude'], ['SAT-SUN'])
  })

  test('changes at the same moment are all made, and a namespace has a limited number', async (t) => {
    const { calendar, put } = await setup(t)
    const names = Array.from({ length: 100 }, (_, index) => `c${index}`)
    for (let from = 0; from < 100; from += 10)
      await Promise.all(names.slice(from, from + 10).map((name) => put(name, WEEKDAYS)))
    assert.equal(((await calendar('GET', '')).json['calendars'] as unknown[]).length, 100)
    const more = await calendar('PUT', '/one-more', WEEKDAYS)
    assert.deepEqual([more.status, details(more)['field']], [400, 'name'])
    await put('c1', { exclude: ['MON'] })
    const days = Array.from({ length: 900 }, (_, day) => `2030-01-${String((day % 28) + 1).padStart(2, '0')}`)
    const large: Answer[] = []
    for (const name of names.slice(0, 25)) large.push(await calendar('PUT', `/${name}`, { exclude: days }))
    assert.match(large.find(({ status }) => status === 400)!.text, /have at most 262144 characters together/)
  })

  test('are no timers: nobody lists, counts, cancels or names the rows that they are', async (t) => {
    const { put, call, request, calendar, create } = await setup(t)
    await put('weekdays', WEEKDAYS)
    await create({ id: 'a', schedule: 'PT1H' })
    for (const query of [{}, { namespace: '*' }, { namespace: '*', sort: 'dueAt' }, { namespace: '*', sort: 'createdAt', order: 'desc' }])
      assert.deepEqual(((await call('list', query)).json['timers'] as { id: string }[]).map(({ id }) => id), ['a']) // oxfmt-ignore
    const overview = (await request('/api/v1/overview')).json
    assert.deepEqual([overview['namespacesTotal'], (overview['counts'] as Record<string, number>)['paused']], [1, 0])
    assert.equal((await call('get', { namespace: '~calendars', timerId: 'default' })).status, 400)
    assert.equal((await call('cancel', { all: true })).json['canceled'], 1)
    assert.equal(((await calendar('GET', '')).json['calendars'] as unknown[]).length, 1)
  })
})

suite('timers on a calendar', () => {
  test('one that does not exist, a skipped one-shot, and a schedule of which nothing is left are refused', async (t) => {
    const { call, put } = await setup(t)
    await put('hours', { allow: ['MON-FRI 09:00-17:00'] })
    const refused: readonly [object, string, RegExp][] = [
      [
        { schedule: '@daily', calendar: { name: 'nobody' } },
        'calendar',
        /there is no calendar "nobody" in the namespace/,
      ],
      [
        { schedule: 'PT1H', calendar: { name: 'hours', onExcluded: 'skip' } },
        'calendar.onExcluded',
        /cannot be skipped/,
      ],
      [{ schedule: '0 3 * * *', calendar: { name: 'hours' } }, 'schedule', /excludes all of its next iterations/],
      [
        { schedule: '@daily', calendar: { name: 'hours', onExcluded: 'later' } },
        'calendar.onExcluded',
        /"skip", "move"/,
      ],
      [
        { calendar: { name: 'hours' }, executeAt: '2030-01-01T00:00:00Z', namespace: 'shop' },
        'calendar',
        /no calendar/,
      ],
    ]
    for (const [body, field, message] of refused) {
      const answer = await call('create', { callbackUrl: HOOK, ...body })
      assert.deepEqual([answer.status, details(answer)['field']], [400, field], answer.text)
      assert.match(String(answer.json['message']), message)
    }
    assert.equal(details(await call('update', { timerId: 'a', calendar: { name: 'hours' } }))['field'], 'calendar')
    assert.match(
      (await call('preview', { schedule: '@daily', calendar: { name: 'nobody' } })).text,
      /there is no calendar/,
    )
  })

  test('skip what it excludes, and count it', async (t) => {
    const { call, put, create, fired, pass } = await setup(t)
    await put('c', { exclude: ['2029-12-02', '2029-12-03 12:00-24:00'] })
    const calendar = { name: 'c' }
    const made = await create({ id: 'a', schedule: '0 9,21 * * *', calendar })
    assert.deepEqual(
      [made['executeAt'], made['calendar']],
      ['2029-12-01T21:00:00.000Z', { ...calendar, onExcluded: 'skip' }],
    )
    await create({ id: 'b', schedule: 'FREQ=HOURLY;INTERVAL=11', calendar })
    await create({ id: 'c', schedule: 'R/2029-12-01T18:00:00Z/PT12H', calendar: { ...calendar, onExcluded: 'skip' } })
    await pass(24 * 3)
    assert.deepEqual(
      fired().filter((one) => one.startsWith('a')),
      ['a 01T21:00', 'a 03T09:00', 'a 04T09:00'],
    )
    assert.deepEqual(fired().filter((one) => one.startsWith('b')), ['01T12:00', '01T23:00', '03T08:00', '04T06:00'].map((at) => `b ${at}`)) // oxfmt-ignore
    assert.deepEqual(
      fired().filter((one) => one.startsWith('c')),
      ['c 01T18:00', 'c 03T06:00', 'c 04T06:00'],
    )
    assert.equal((await call('get', { timerId: 'c' })).json['skipped'], 3)
  })

  test('move to the next allowed time, with the time that was meant beside it', async (t) => {
    const { put, create, fired, firings, pass, call } = await setup(t)
    await put('hours', { timeZone: 'Europe/Berlin', allow: ['MON-FRI 09:00-17:00'] })
    const once = await create({ id: 'once', schedule: 'PT1H', calendar: { name: 'hours' } })
    assert.deepEqual(
      [once['executeAt'], once['nominalAt'], once['calendar']],
      ['2029-12-03T08:00:00.000Z', '2029-12-01T13:00:00.000Z', { name: 'hours', onExcluded: 'move' }],
    )
    await create({ id: 'cycle', schedule: 'R/PT6H', calendar: { name: 'hours', onExcluded: 'move' } })
    await pass(24 * 2 + 1)
    assert.deepEqual(
      fired().filter((one) => one.startsWith('once')),
      ['once 03T08:00'],
    )
    assert.deepEqual(fired().filter((one) => one.startsWith('cycle')), ['03T08:00', '03T12:00'].map((at) => `cycle ${at}`)) // oxfmt-ignore
    assert.equal(
      new Date(firings.find(({ timer }) => timer.id === 'once')!.timer.nominalAt).toISOString(),
      '2029-12-01T13:00:00.000Z',
    )
    assert.equal((await call('get', { timerId: 'once' })).json['status'], 'completed')
  })

  test('a calendar that changes while they wait is asked again when they come due', async (t) => {
    const { put, create, fired, pass, call, calendar } = await setup(t)
    await put('c', { exclude: ['2000-01-01'] })
    for (const onExcluded of ['skip', 'move'])
      await create({ id: onExcluded, schedule: '0 15 * * *', calendar: { name: 'c', onExcluded } })
    await create({ id: 'once', executeAt: '2029-12-01T15:00:00Z', calendar: { name: 'c' } })
    await create({ id: 'free', executeAt: '2029-12-01T15:00:00Z' })
    await put('c', { exclude: ['2029-12-01'] })
    await pass(6)
    assert.deepEqual(fired(), ['free 01T15:00'])
    const [skip, move] = await Promise.all(
      ['skip', 'move'].map(async (timerId) => (await call('get', { timerId })).json),
    )
    assert.deepEqual([skip!['executeAt'], skip!['skipped'], skip!['attemptCount']], ['2029-12-02T15:00:00.000Z', 1, 0])
    assert.deepEqual([move!['executeAt'], move!['nominalAt']], ['2029-12-02T00:00:00.000Z', '2029-12-01T15:00:00.000Z'])
    await pass(24)
    assert.deepEqual(fired().slice(1).toSorted(), ['move 02T00:00', 'move 02T15:00', 'once 02T00:00', 'skip 02T15:00'])
    // A calendar that is gone excludes nothing.
    await put('c', { exclude: ['2029-12-03'] })
    await calendar('DELETE', '/c')
    await pass(24)
    assert.deepEqual(fired().slice(5).toSorted(), ['move 03T15:00', 'skip 03T15:00'])
  })

  test('what somebody asked for is not held back: a trigger, a time that the receiver named, a retry', async (t) => {
    const { put, create, fired, pass, call } = await setup(t, {
      answer: ({ timer, attempt }) =>
        timer.id === 'again' && timer.firing === 1
          ? { type: 'rescheduled', statusCode: 200, nextAt: Date.parse('2029-12-03T10:00:00Z') }
          : timer.id === 'retried' && attempt === 1
            ? { type: 'failed', statusCode: 500, error: 'HTTP 500', final: false, retryAfterMs: null }
            : { type: 'delivered', statusCode: 200 },
    })
    await put('c', { exclude: ['2029-12-01', '2029-12-03'] })
    const calendar = { name: 'c' }
    await create({ id: 'triggered', schedule: '0 9 * * *', calendar })
    assert.equal((await call('trigger', { timerId: 'triggered' })).status, 200)
    await pass(1)
    assert.deepEqual(fired(), ['triggered 01T12:00'])
    await create({ id: 'again', executeAt: '2029-12-02T10:00:00Z', calendar })
    await create({
      id: 'retried',
      schedule: '59 23 * * *',
      calendar,
      retryPolicy: { maxRetries: 1, initialInterval: '5m' },
    })
    await pass(24 * 2)
    assert.deepEqual(
      fired().filter((one) => one.startsWith('again')),
      ['again 02T10:00', 'again 03T10:00'],
    )
    assert.deepEqual(fired().filter((one) => one.startsWith('retried 03T00:0')).length, 1)
  })

  test('a preview says in words what the calendar does', async (t) => {
    const { put, call } = await setup(t)
    await put('weekdays', WEEKDAYS)
    const answer = (await call('preview', { schedule: '0 9 * * *', count: 2, calendar: { name: 'weekdays' } })).json
    assert.deepEqual(answer['firings'], ['2029-12-03T09:00:00.000Z', '2029-12-04T09:00:00.000Z'])
    assert.equal(answer['description'], 'at 09:00, not when the calendar weekdays excludes it')
    assert.deepEqual(answer['unusual'], [
      { executeAt: '2029-12-03T09:00:00.000Z', reasons: ['calendar'], note: 'the calendar weekdays skips 1 before it' },
    ])
    const moved = (await call('preview', { executeAt: '2029-12-02T09:00:00Z', calendar: { name: 'weekdays' } })).json
    assert.deepEqual(
      [moved['description'], moved['unusual']],
      [
        'once, later when the calendar weekdays excludes it',
        [
          {
            executeAt: '2029-12-03T00:00:00.000Z',
            nominalAt: '2029-12-02T09:00:00.000Z',
            reasons: ['calendar'],
            note: 'moved by the calendar weekdays',
          },
        ],
      ],
    )
  })

  test('one that is paused and resumed fires for the last time that was allowed', async (t) => {
    const { put, create, fired, pass, call } = await setup(t)
    await put('c', { exclude: ['2029-12-02'] })
    await create({ id: 'a', schedule: '0 */6 * * *', calendar: { name: 'c' } })
    await call('pause', { timerId: 'a' })
    await pass(28) // to the 2nd
    const resumed = (await call('resume', { timerId: 'a' })).json
    assert.deepEqual([resumed['executeAt'], resumed['skipped']], ['2029-12-01T18:00:00.000Z', 1])
    await pass(1)
    assert.deepEqual(fired(), ['a 02T16:00'])
    assert.equal((await call('get', { timerId: 'a' })).json['executeAt'], '2029-12-03T00:00:00.000Z')
  })
})
