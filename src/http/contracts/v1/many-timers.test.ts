import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { EXAMPLES } from './examples.ts'
import { details, HOOK, NAME, setup, setupWithTimer } from './v1.fixture.ts'

suite('list', () => {
  test('a forged cursor, a limit of 0 and a metadata value without its key are refused', async (t) => {
    const { call } = await setup(t)
    for (const cursor of ['x', 'MC4x', `${Buffer.from(`0.1.${'a'.repeat(32)}`).toString('base64url')}=`]) {
      const answer = await call('list', { cursor })
      assert.equal(answer.status, 400)
      assert.equal(details(answer)['field'], 'cursor')
    }
    for (const limit of [0, -1, 1.5, '10']) assert.equal(details(await call('list', { limit }))['field'], 'limit')
    assert.equal(details(await call('list', { metadataValue: 'x' }))['field'], 'metadataKey')
    assert.equal(details(await call('list', { dueFrom: 'tomorrow' }))['field'], 'dueFrom')
    assert.equal(
      details(await call('list', { dueFrom: '2030-01-02T00:00:00Z', dueTo: '2030-01-01T00:00:00Z' }))['field'],
      'dueTo',
    )
    assert.equal(details(await call('list', { status: ['pending', 'gone'] }))['field'], 'status.1')
  })

  test('pages follow each other and show every timer once', async (t) => {
    const { call } = await setup(t)
    const timers = Array.from({ length: 7 }, (_, n) => ({ id: `t${n}`, schedule: `PT${n + 1}M`, callbackUrl: HOOK }))
    await call('batch', { timers })
    const seen: unknown[] = []
    let cursor: string | undefined
    do {
      const { json } = await call('list', { limit: 3, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...(json['timers'] as { id: string }[]).map(({ id }) => id))
      cursor = json['nextCursor'] as string | undefined
    } while (cursor !== undefined)
    assert.deepEqual(seen, ['t0', 't1', 't2', 't3', 't4', 't5', 't6'])
    assert.equal(((await call('list', { limit: 5_000 })).json['timers'] as unknown[]).length, 7)
  })

  test('filters by namespace, status, due time and metadata', async (t) => {
    const { call } = await setup(t)
    const create = (id: string, more: object) => call('create', { id, schedule: 'PT1H', callbackUrl: HOOK, ...more })
    await create('a', { metadata: { team: 'x' } })
    await create('b', { metadata: { team: 5 } })
    await create('c', { schedule: 'PT3H' })
    await create('d', { namespace: 'other' })
    await call('pause', { timerId: 'c' })
    const ids = async (filter: object) =>
      ((await call('list', filter)).json['timers'] as { id: string }[]).map(({ id }) => id).toSorted()
    assert.deepEqual(await ids({}), ['a', 'b', 'c'])
    assert.deepEqual(await ids({ namespace: 'other' }), ['d'])
    assert.deepEqual(await ids({ status: 'paused' }), ['c'])
    assert.deepEqual(await ids({ status: ['paused', 'pending'] }), ['a', 'b', 'c'])
    assert.deepEqual(await ids({ dueFrom: '2029-12-01T14:00:00Z' }), ['c'])
    assert.deepEqual(await ids({ dueTo: '2029-12-01T14:00:00Z' }), ['a', 'b'])
    assert.deepEqual(await ids({ metadataKey: 'team' }), ['a', 'b'])
    assert.deepEqual(await ids({ metadataKey: 'team', metadataValue: 5 }), ['b'])
  })
})

suite('batch', () => {
  test('a bad item fails alone, with the error it would have had by itself', async (t) => {
    const { call } = await setupWithTimer(t)
    const good = { schedule: 'PT1M', callbackUrl: HOOK }
    const past = { callbackUrl: HOOK, executeAt: '2020-01-01T00:00:00Z' }
    const timers = [{ id: 'a', ...good }, 7, { ...good, idd: 'x' }, past, { id: 'b', ...good }]
    const { status, json } = await call('batch', { onConflict: 'reject', timers: [...timers, EXAMPLES.create.request] })
    assert.equal(status, 200)
    assert.equal(json['created'], 2)
    assert.equal(json['failed'], 4)
    const results = json['results'] as {
      status: number
      timer?: { id: string }
      error?: string
      details?: { field?: string }
    }[]
    assert.deepEqual(
      results.map((result) => [result.status, result.timer?.id ?? result.error, result.details?.field]),
      [
        [200, 'a', undefined],
        [400, 'INVALID_INPUT', 'timers'],
        [400, 'INVALID_INPUT', 'idd'],
        [400, 'INVALID_INPUT', 'executeAt'],
        [200, 'b', undefined],
        [409, 'TIMER_ALREADY_EXISTS', undefined],
      ],
    )
  })

  test('items for one timer are carried out in order, also where the timer must be read first', async (t) => {
    const { call, clock } = await setup(t)
    await call('create', { id: 'done', schedule: 'PT1M', callbackUrl: HOOK })
    await clock.advance(60_000)
    const { json } = await call('batch', {
      timers: [
        { action: 'update', timerId: 'done', payload: 1 },
        { id: 'done', schedule: 'PT1H', callbackUrl: HOOK },
        { action: 'update', timerId: 'done', payload: 2 },
        { action: 'delete', timerId: 'done' },
        { action: 'update', timerId: 'done', payload: 3 },
      ],
    })
    const results = json['results'] as { status: number; error?: string; timer?: { version: number } }[]
    assert.deepEqual(
      results.map(({ status, error, timer }) => [status, error ?? timer?.version]),
      [
        [409, 'TIMER_NOT_PENDING'],
        [200, 3],
        [200, 4],
        [204, undefined],
        [409, 'TIMER_NOT_PENDING'],
      ],
    )
    assert.deepEqual([json['created'], json['updated'], json['deleted'], json['failed']], [1, 1, 1, 2])
  })

  test('an action that is none, and a field of another action, fail alone with their field', async (t) => {
    const { call } = await setupWithTimer(t)
    const timers = [
      { action: 'toString' },
      { action: 7 },
      { action: 'delete', ...NAME, payload: 1 },
      { action: 'update', id: 'x' },
      { ...NAME, action: 'update' },
    ]
    const { json } = await call('batch', { timers })
    const fields = (json['results'] as { details: { field: string } }[]).map((result) => result.details.field)
    assert.deepEqual([fields, json['failed']], [['action', 'action', 'payload', 'timerId', 'timerId'], 5])
  })

  test('a batch that is repeated with its idempotency key makes no second timers', async (t) => {
    const { call } = await setup(t)
    const good = { schedule: 'PT1M', callbackUrl: HOOK }
    const timers = [
      good,
      good,
      { ...good, idempotencyKey: 'own' },
      { ...good, namespace: 'other' },
      { ...good, id: 'named' },
    ]
    const ids = async (key: string) =>
      (
        (await call('batch', { timers }, { 'idempotency-key': key })).json['results'] as { timer: { id: string } }[]
      ).map(({ timer }) => timer.id)
    const first = await ids('k')
    assert.equal(new Set(first).size, 5)
    assert.deepEqual(await ids('k'), first)
    const other = await ids('l')
    assert.deepEqual(
      other.map((id, index) => id === first[index]),
      [false, false, true, false, true],
    )
  })

  test('none and more than a thousand timers are refused, a thousand are made', async (t) => {
    const { call } = await setup(t)
    const many = (length: number) => ({
      timers: Array.from({ length }, () => ({ schedule: 'PT1M', callbackUrl: HOOK })),
    })
    assert.equal(details(await call('batch', many(0)))['field'], 'timers')
    assert.equal(details(await call('batch', many(1_001)))['field'], 'timers')
    assert.equal((await call('batch', many(1_000))).json['created'], 1_000)
  })
})

suite('cancel', () => {
  test('without a filter it is refused', async (t) => {
    const { call } = await setup(t)
    for (const body of [{}, { dryRun: true }, { all: false }, { status: 'pending' }])
      assert.equal((await call('cancel', body)).status, 400)
  })

  test('cancels what matches and nothing else; a dry run only counts', async (t) => {
    const { call } = await setup(t)
    for (const [id, team] of [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'y'],
    ]) {
      await call('create', { id, schedule: 'PT1H', callbackUrl: HOOK, metadata: { team } })
    }
    const filter = { metadataKey: 'team', metadataValue: 'x' }
    assert.deepEqual((await call('cancel', { ...filter, dryRun: true })).json, {
      matched: 2,
      canceled: 0,
      tooLate: 0,
      more: false,
    })
    assert.deepEqual((await call('cancel', filter)).json, { matched: 2, canceled: 2, tooLate: 0, more: false })
    assert.equal((await call('get', { timerId: 'c' })).json['status'], 'pending')
    assert.deepEqual((await call('cancel', { all: true })).json, { matched: 1, canceled: 1, tooLate: 0, more: false })
  })
})

suite('preview', () => {
  test('answers what the documentation shows', async (t) => {
    const { call } = await setup(t)
    assert.deepEqual((await call('preview', EXAMPLES.preview.request)).json, EXAMPLES.preview.answer)
  })

  test('an instant has one firing, a cycle as many as it has left', async (t) => {
    const { call } = await setup(t)
    const firings = async (body: object) => (await call('preview', body)).json['firings']
    assert.deepEqual(await firings({ executeAt: '2030-01-01T00:00:00Z', timeZone: 'Asia/Tokyo' }), [
      '2030-01-01T00:00:00.000Z',
    ])
    assert.deepEqual(await firings({ schedule: 'R2/PT1H' }), ['2029-12-01T13:00:00.000Z', '2029-12-01T14:00:00.000Z'])
    assert.equal(((await firings({ schedule: 'R/PT1H' })) as unknown[]).length, 5)
  })
})
