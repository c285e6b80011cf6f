import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, errorOf, HOOK, setup } from './cycles.fixture.ts'
import type { Cycles, Json } from './cycles.fixture.ts'

test('a value that a list does not take is refused with the field, and a page that is too large is cut', async (t) => {
  const { get } = await setup(t)
  const cases: [query: string, field: string][] = [
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=abc', 'page'],
    ['page=', 'page'],
    ['page=99999999999', 'page'],
    ['page_size=0', 'page_size'],
    ['page_size=many', 'page_size'],
    ['status=PENDING', 'status'],
    ['type=duration', 'type'],
    ['sort_by=name', 'sort_by'],
    ['sort_order=asc', 'sort_order'],
    ['tenant_id=a%2Fb', 'tenant_id'],
    ['metadata_value=x', 'metadata_key'],
    ['limit=5', 'limit'],
    ['page=1&page=2', 'page'],
  ]
  for (const [query, field] of cases) {
    const answer = await get(`?${query}`)
    assert.equal(answer.status, 400, query)
    const { code, details } = errorOf(answer)
    assert.deepEqual([code, details['field']], ['VALIDATION_ERROR', field], answer.text)
  }
  assert.equal((dataOf(await get('?page_size=101'))['pagination'] as Json)['page_size'], 100)
})

test('a page beyond the last that can be asked for is refused with that bound', async (t) => {
  const { get } = await setup(t)
  for (const page of ['99999999999', '1000000001'])
    assert.equal(errorOf(await get(`?page=${page}`)).message, 'page must be at most 1000000000')
  assert.equal((await get('?page=1000000000')).status, 200)
})

test('an empty list has no pages', async (t) => {
  const { get } = await setup(t)
  const { timers, pagination, summary } = dataOf(await get(''))
  assert.deepEqual(timers, [])
  assert.deepEqual(pagination, {
    page: 1,
    page_size: 20,
    total_count: 0,
    total_pages: 0,
    has_next: false,
    has_prev: false,
  })
  assert.deepEqual(Object.values(summary as Json), [0, 0, 0, 0, 0, 0])
})

test('pages go through all timers, the newest first unless asked otherwise', async (t) => {
  const { created, clock, get } = await setup(t)
  for (let n = 1; n <= 5; n++) {
    await created({ timer_id: `t${n}`, duration_or_cycle: `PT${10 - n}M` })
    await clock.advance(1)
  }
  const page = async (query: string) => {
    const data = dataOf(await get(`?page_size=2&${query}`))
    return [(data['timers'] as Json[]).map(({ timer_id }) => timer_id).join(' '), data['pagination'] as Json] as const
  }
  assert.equal((await page(''))[0], 't5 t4')
  const [ids, second] = await page('page=2')
  assert.equal(ids, 't3 t2')
  assert.deepEqual(second, { page: 2, page_size: 2, total_count: 5, total_pages: 3, has_next: true, has_prev: true })
  const [last, third] = await page('page=3')
  assert.deepEqual([last, third['has_next'], third['has_prev']], ['t1', false, true])
  assert.equal((await page('page=4'))[0], '')
  assert.equal((await page('sort_by=scheduled_at&sort_order=ASC'))[0], 't5 t4')
  assert.equal((await page('sort_by=remaining_time&sort_order=DESC'))[0], 't1 t2')
  assert.equal((await page('sort_by=created_at&sort_order=ASC'))[0], 't1 t2')
})

test('filters can be joined, and the summary covers the tenants whatever else is asked', async (t) => {
  const server = await setup(t)
  await fill(server)
  const cases: [query: string, ids: string][] = [
    ['', 'a b c d e'],
    ['status=SCHEDULED', 'a c e'],
    ['status=COMPLETED', 'b'],
    ['status=CANCELLED', 'd'],
    ['status=ACTIVE', ''],
    ['type=CYCLE', 'c'],
    ['type=DURATION&status=SCHEDULED', 'a e'],
    ['tenant_id=other', 'e'],
    ['tenant_id=nobody', ''],
    ['metadata_key=n', 'a c'],
    ['metadata_key=n&metadata_value=1', 'a c'],
    ['metadata_key=flag&metadata_value=true', 'e'],
    ['metadata_key=n&metadata_value=1&type=CYCLE', 'c'],
    ['metadata_key=n&metadata_value=2', ''],
  ]
  for (const [query, ids] of cases) {
    const data = dataOf(await server.get(`?sort_by=created_at&sort_order=ASC&${query}`))
    assert.equal(
      (data['timers'] as Json[])
        .map(({ timer_id }) => String(timer_id))
        .toSorted()
        .join(' '),
      ids,
      query,
    )
    assert.equal((data['pagination'] as Json)['total_count'], ids === '' ? 0 : ids.split(' ').length, query)
  }
  const all = dataOf(await server.get('?status=CANCELLED'))['summary']
  assert.deepEqual(all, {
    total_timers: 5,
    scheduled_timers: 3,
    completed_timers: 1,
    cancelled_timers: 1,
    duration_timers: 4,
    cycle_timers: 1,
  })
  assert.equal((dataOf(await server.get('?tenant_id=other'))['summary'] as Json)['total_timers'], 1)
})

async function fill({ created, clock, remove }: Cycles): Promise<void> {
  await created({ timer_id: 'a', duration_or_cycle: 'PT5M', metadata: { n: 1 } })
  await created({ timer_id: 'b', duration_or_cycle: 'PT1S', callback_url: HOOK })
  await created({ timer_id: 'c', duration_or_cycle: 'R/PT1H', metadata: { n: '1' } })
  await created({ timer_id: 'd', duration_or_cycle: 'PT5M' })
  await created({ timer_id: 'e', duration_or_cycle: 'PT5M', tenant_id: 'other', metadata: { flag: true } })
  await remove('d')
  await clock.advance(2_000)
}
