// The library in a program, from outside: what its README says and what its users build on.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { openDuetime, FinalFailure, reschedule, testClock } from '../src/embedded/index.ts'
import type { CreateFields, Duetime, DuetimeError, Firing, TestClock, TimerPage } from '../src/embedded/index.ts'
import { eventually } from './support/eventually.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const root = join(import.meta.dirname, '..')
/** `duetime` is what the package exports, from the sources. */
const FROM_SOURCE = '--conditions=@duetime/source'

type Setup = { readonly clock: TestClock; readonly timers: Duetime }

async function setup(t: TestContext, database = 'memory:'): Promise<Setup> {
  const clock = testClock()
  const timers = await openDuetime({ database, clock, settings: { LOG_LEVEL: 'silent' } })
  t.after(() => timers.close())
  return { clock, timers }
}

const DATABASES = { memory: () => 'memory:', SQLite: (t: TestContext) => join(tempDir(t), 'timers.db') }

for (const [kind, place] of Object.entries(DATABASES)) {
  test(`with ${kind}, advance has run everything due on the way, in order and at its time, when it resolves`, async (t) => {
    const { clock, timers } = await setup(t, place(t))
    const seen: string[] = []
    timers.handle('n', async ({ id, firedAt, attempt, iteration }) => {
      // However long a handler takes in the real world, the clock waits for it.
      await new Promise((resolve) => setTimeout(resolve, 5))
      assert.deepEqual(firedAt, clock.now())
      seen.push(`${firedAt.toISOString().slice(0, 13)} ${id} ${iteration ?? '-'}.${attempt}`)
      if (id === 'flaky' && attempt === 1) throw new Error('not yet')
    })
    await timers.create({ namespace: 'n', id: 'late', after: '50h' })
    await timers.create({ namespace: 'n', id: 'cycle', every: '1d' })
    await timers.create({
      namespace: 'n',
      id: 'flaky',
      after: '1h',
      retryPolicy: { initialInterval: '1h', maxInterval: '1h' },
    })
    await timers.create({ namespace: 'n', id: 'beyond', after: '50h1s' })
    await clock.advance('50h')
    assert.deepEqual(seen, [
      '2026-01-01T01 flaky -.1',
      '2026-01-01T02 flaky -.2',
      '2026-01-02T00 cycle 1.1',
      '2026-01-03T00 cycle 2.1',
      '2026-01-03T02 late -.1',
    ])
    const { timers: rows } = await timers.list({ namespace: 'n' })
    const statuses = Object.fromEntries(rows.map(({ id, status }) => [id, status]))
    assert.deepEqual(statuses, { late: 'completed', flaky: 'completed', cycle: 'pending', beyond: 'pending' })
    assert.equal(clock.now().toISOString(), '2026-01-03T02:00:00.000Z')
  })

  test(`with ${kind}, a thousand timers due at once are all handled and stored when advance resolves`, async (t) => {
    const { clock, timers } = await setup(t, place(t))
    const seen = new Set<string>()
    timers.handle('n', async ({ id }) => void seen.add(id))
    const results = await timers.batch(
      Array.from({ length: 1_000 }, (_, n) => ({ namespace: 'n', id: `t${n}`, after: '1h' })),
    )
    assert.ok(results.every(({ ok }) => ok))
    await clock.advance('1h')
    assert.equal(seen.size, 1_000)
    const { timers: unfinished } = await timers.list({ namespace: 'n', status: ['pending', 'executing'] })
    assert.deepEqual(unfinished, [])
  })
}

test('no time at all is now, and a payload has its exact text beside it', async (t) => {
  const { clock, timers } = await setup(t)
  const seen: (string | null)[] = []
  timers.handle('n', ({ payloadText }) => void seen.push(payloadText))
  const { payloadText } = await timers.create({ namespace: 'n', after: '0s', payload: { id: 7 } })
  await clock.advance('0s')
  assert.deepEqual([payloadText, ...seen], ['{"id":7}', '{"id":7}'])
})

test('timers that come due before there is a handler wait for it, without using up their attempts', async (t) => {
  const { clock, timers } = await setup(t)
  await timers.create({ namespace: 'later', id: 'a', after: '1h', retryPolicy: { maxRetries: 0 } })
  await timers.create({ namespace: 'other', id: 'b', after: '2h' })
  const seen: string[] = []
  const handler = ({ id, attempt, dueAt }: Firing) => void seen.push(`${id} ${attempt} ${dueAt.toISOString()}`)
  timers.handle('other', handler)
  await clock.advance('1d')
  assert.deepEqual(seen, ['b 1 2026-01-01T02:00:00.000Z'])
  const waiting = await timers.get({ namespace: 'later', id: 'a' })
  assert.deepEqual([waiting.status, waiting.attemptCount], ['pending', 0])

  timers.handle('later', handler)
  await clock.advance('0s')
  assert.deepEqual(seen, ['b 1 2026-01-01T02:00:00.000Z', 'a 1 2026-01-01T01:00:00.000Z'])
})

test('timers that wait for a handler neither fill the memory nor hold up other namespaces, and none is lost', async (t) => {
  const clock = testClock()
  const settings = { WINDOW_TIMERS_MAX: '100', TIMER_BATCH_SIZE: '50' }
  const timers = await openDuetime({ database: join(tempDir(t), 'timers.db'), clock, settings })
  t.after(() => timers.close())
  const waiting = Array.from({ length: 700 }, (_, n) => ({ namespace: 'later', id: `w${n}`, after: '1h' as const }))
  const others = Array.from({ length: 150 }, (_, n) => ({
    namespace: 'other',
    id: `o${n}`,
    after: { minutes: 90 + n },
  }))
  await timers.batch([...waiting, ...others])
  const late: Firing[] = []
  let onTime = 0
  timers.handle(
    'other',
    (firing) => void (firing.firedAt.getTime() === firing.dueAt.getTime() ? onTime++ : late.push(firing)),
  )
  await clock.advance('1d')
  assert.deepEqual([onTime, late.map(({ id }) => id)], [150, []])

  const seen = new Set<string>()
  timers.handle('later', ({ id, attempt }) => void (attempt === 1 && seen.add(id)))
  await clock.advance('0s')
  assert.equal(seen.size, 700)
})

test('what was due while no program had the file open is handled after the next start', async (t) => {
  const database = join(tempDir(t), 'timers.db')
  const first = await setup(t, database)
  await first.timers.create({ namespace: 'n', id: 'a', after: '1h', payload: { n: 1 } })
  await first.timers.close()

  const clock = testClock('2026-02-01T00:00:00Z')
  const timers = await openDuetime({ database, clock })
  t.after(() => timers.close())
  const seen: Firing<{ n: number }>[] = []
  timers.handle<{ n: number }>('n', (firing) => void seen.push(firing))
  await clock.advance('0s')
  assert.deepEqual(
    seen.map(({ id, payload, dueAt, firedAt }) => [id, payload.n, dueAt.toISOString(), firedAt.toISOString()]),
    [['a', 1, '2026-01-01T01:00:00.000Z', '2026-02-01T00:00:00.000Z']],
  )
})

test('a service on the same file shows the timers of a program, cannot make one, and leaves their firing to the program', async (t) => {
  const cwd = tempDir(t)
  const database = join(cwd, 'timers.db')
  const past = testClock('2020-01-01T00:00:00Z')
  const first = await openDuetime({ database, clock: past })
  await first.create({
    id: '0190a3c4-0000-7000-8000-000000000001',
    after: '1h',
    payload: { n: 1 },
    retryPolicy: { maxRetries: 0 },
  })
  await first.close()

  const service = await startService(t, { cwd, env: { TIMER_DB_PATH: database } })
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  // One of its own that is due later fires: by then the overdue one has had its chance.
  const own = await post('/api/v1/timers/create', {
    id: 'own',
    schedule: 'PT1S',
    callbackUrl: `${service.url}/healthz`,
  })
  assert.equal(own.status, 200)
  await eventually('the own timer to have fired', async () => {
    const { body } = await post('/api/v1/timers/get', { timerId: 'own' })
    return (body['attempts'] as unknown[]).length > 0
  })
  const { body: shown } = await post('/api/v1/timers/get', { timerId: '0190a3c4-0000-7000-8000-000000000001' })
  assert.deepEqual([shown['status'], shown['callback'], shown['attemptCount']], ['pending', { type: 'function' }, 0])
  const answer = await fetch(`${service.url}/timers/0190a3c4-0000-7000-8000-000000000001`)
  const platform = (await answer.json()) as { data: Record<string, unknown> }
  assert.deepEqual([platform.data['callback_type'], platform.data['callback_config']], ['function', null])
  const made = await post('/api/v1/timers/create', { id: 'x', schedule: 'PT1H', callback: { type: 'function' } })
  assert.deepEqual([made.status, (made.body['details'] as { field: string }).field], [400, 'callback.type'])
  await service.stop()

  const timers = await openDuetime({ database })
  t.after(() => timers.close())
  const fired = Promise.withResolvers<Firing>()
  timers.handle('default', fired.resolve)
  const { attempt, payload } = await fired.promise
  assert.deepEqual([attempt, payload], [1, { n: 1 }])
})

test('a second program on one SQLite file is told who has it', async (t) => {
  const database = join(tempDir(t), 'timers.db')
  await setup(t, database)
  await assert.rejects(openDuetime({ database }), /another process|in use|locked/i)
})

test('a handler that throws is tried again by the policy and then the timer has failed, with what was thrown', async (t) => {
  const { clock, timers } = await setup(t)
  const deliveryIds = new Set<string>()
  const mended: unknown[] = []
  timers.handle('n', ({ deliveryId, payload }) => {
    if (payload !== null) return void mended.push(payload)
    deliveryIds.add(deliveryId)
    throw new RangeError('no such account')
  })
  await timers.create({ namespace: 'n', id: 'a', after: '1s', retryPolicy: { maxRetries: 2, initialInterval: '10s' } })
  await clock.advance('1h')
  const timer = await timers.get({ namespace: 'n', id: 'a' })
  assert.deepEqual([timer.status, timer.attempts.length, timer.lastError], ['failed', 3, 'RangeError: no such account'])
  assert.deepEqual([...deliveryIds], [timer.deliveryId], 'one delivery id for all attempts')
  await timers.retry({ namespace: 'n', id: 'a' })
  await clock.advance('1s')
  assert.equal((await timers.get({ namespace: 'n', id: 'a' })).attempts.length, 4)
  await clock.advance('1h')
  await timers.update({ namespace: 'n', id: 'a' }, { retry: true, payload: 'mended' })
  await clock.advance('1s')
  const done = await timers.get({ namespace: 'n', id: 'a' })
  assert.deepEqual([mended, done.status, done.attempts.length], [['mended'], 'completed', 7])
})

test('a FinalFailure is not tried again', async (t) => {
  const { clock, timers } = await setup(t)
  timers.handle('n', () => {
    throw new FinalFailure('the account is gone')
  })
  await timers.create({ namespace: 'n', id: 'a', after: '1s' })
  await clock.advance('1h')
  const timer = await timers.get({ namespace: 'n', id: 'a' })
  assert.deepEqual(
    [timer.status, timer.attempts.length, timer.lastError],
    ['failed', 1, 'FinalFailure: the account is gone'],
  )
})

test('a handler can move its timer to another time, by an instant or a length of time', async (t) => {
  const { clock, timers } = await setup(t)
  const midnight = new Date('2026-01-02T00:00:00Z')
  const answers = [
    reschedule('2h'),
    reschedule(midnight),
    { reschedule: { days: 1 } },
    reschedule('yesterday'),
    undefined,
  ]
  const seen: string[] = []
  timers.handle('n', ({ firedAt }) => {
    seen.push(firedAt.toISOString().slice(0, 13))
    return answers.shift()
  })
  await timers.create({
    namespace: 'n',
    id: 'a',
    after: '1h',
    retryPolicy: { initialInterval: '1h', maxInterval: '1h' },
  })
  await clock.advance('2d12h')
  assert.deepEqual(seen, ['2026-01-01T01', '2026-01-01T03', '2026-01-02T00', '2026-01-03T00', '2026-01-03T01'])
  const { attempts } = await timers.get({ namespace: 'n', id: 'a' })
  assert.deepEqual(
    attempts.map(({ outcome }) => outcome),
    ['rescheduled', 'rescheduled', 'rescheduled', 'failed', 'delivered'],
  )
  assert.match(attempts[3]!.error!, /reschedule: "yesterday" is not a length of time/)
})

test('close waits for the handlers under way, and aborts the signal of those that outlast the grace', async (t) => {
  const { clock, timers } = await setup(t)
  const started = Promise.withResolvers<AbortSignal>()
  const work = Promise.withResolvers<void>()
  timers.handle('n', async ({ signal }) => {
    started.resolve(signal)
    await work.promise
  })
  await timers.create({ namespace: 'n', id: 'a', after: '1s' })
  const advanced = clock.advance('1s')
  const signal = await started.promise
  await timers.close({ grace: '20ms' })
  assert.ok(signal.aborted)
  await advanced
  work.resolve()
})

test('a handler that takes longer than its time limit has failed, and is told', async (t) => {
  const { clock, timers } = await setup(t)
  const ended = Promise.withResolvers<unknown>()
  timers.handle('n', async ({ signal }) => {
    await once(signal, 'abort')
    ended.resolve(signal.reason)
  })
  await timers.create({ namespace: 'n', id: 'a', after: '1s', callbackTimeout: '1s', retryPolicy: { maxRetries: 0 } })
  await clock.advance('1s')
  assert.equal((await timers.get({ namespace: 'n', id: 'a' })).lastError, 'timed out after 1s')
  assert.equal(((await ended.promise) as DOMException).name, 'TimeoutError')
})

test('no more calls of a handler are under way than its concurrency allows', async (t) => {
  const { clock, timers } = await setup(t)
  let [running, most, done] = [0, 0, 0]
  const handler = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    done++
  }
  timers.handle('n', handler, { concurrency: 3 })
  await timers.batch(Array.from({ length: 20 }, (_, n) => ({ namespace: 'n', id: `t${n}`, after: '1s' })))
  await clock.advance('1s')
  assert.deepEqual([most, done], [3, 20])
})

test('mistakes are refused with a code and the field, before anything is stored', async (t) => {
  const { timers } = await setup(t)
  const wrong: [object, string, string][] = [
    [{}, 'INVALID_INPUT', 'at'],
    [{ after: '3 days' }, 'INVALID_SCHEDULE', 'after'],
    [{ after: 3 }, 'INVALID_INPUT', 'after'],
    [{ after: '1d', at: new Date() }, 'INVALID_INPUT', 'after'],
    [{ at: new Date(Number.NaN) }, 'INVALID_INPUT', 'at'],
    [{ after: '1s', times: 3 }, 'INVALID_INPUT', 'times'],
    [{ after: '1s', id: '' }, 'INVALID_INPUT', 'id'],
    [{ after: '1s', id: 7 }, 'INVALID_INPUT', 'id'],
    [{ after: '1s', namespace: 'a b' }, 'INVALID_INPUT', 'namespace'],
    [{ after: '1s', payload: 1n }, 'INVALID_INPUT', 'payload'],
    [{ after: '1s', payload: () => {} }, 'INVALID_INPUT', 'payload'],
    [{ after: '1s', metadata: { deep: {} } }, 'INVALID_INPUT', 'metadata.deep'],
    [{ after: '1s', callback: { type: 'ftp' } }, 'INVALID_INPUT', 'callback'],
    [{ after: '1s', callback: { type: 'nats', topic: 'x' } }, 'INVALID_INPUT', 'callback'],
    [{ after: '1s', callbackTimeout: '2h' }, 'INVALID_INPUT', 'callbackTimeout'],
    [{ after: '1s', retryPolicy: { maxRetrys: 1 } }, 'INVALID_INPUT', 'retryPolicy.maxRetrys'],
    [{ afer: '1s' }, 'INVALID_INPUT', 'afer'],
  ]
  for (const [fields, code, field] of wrong) {
    const error = await timers.create(fields as CreateFields).then(
      () => assert.fail(`${Object.keys(fields).join()} was taken`),
      (reason: { code?: string; details?: { field?: string }; message: string }) => reason,
    )
    assert.deepEqual([error.code, error.details?.field], [code, field], error.message)
  }
  await assert.rejects(timers.get('nobody'), { code: 'TIMER_NOT_FOUND' })
  await assert.rejects(timers.create({ afer: '1s' } as unknown as CreateFields), /did you mean after\?/)
  const stop = timers.handle('n', () => {})
  assert.throws(() => timers.handle('n', () => {}), /has a handler already/)
  stop()
  timers.handle('n', () => {})
})

test('an update or cancel that was acknowledged is final, and what is shown is what was given', async (t) => {
  const { clock, timers } = await setup(t)
  const seen: string[] = []
  timers.handle('default', ({ id, payload }) => void seen.push(`${id} ${JSON.stringify(payload)}`))
  await timers.create({ id: 'kept', after: { days: 1 }, payload: [1], metadata: { who: 'ada' } })
  await timers.create({ id: 'moved', at: Temporal.Instant.from('2026-01-02T00:00Z') })
  await timers.create({ id: 'gone', at: new Date('2026-01-02T00:00:00Z') })
  await timers.update('moved', { after: '3d', payload: { n: 2 } })
  await timers.cancel('gone')
  await timers.create({ id: 'slept', after: '1d' })
  await timers.pause('slept')
  await clock.advance('2d')
  assert.deepEqual(seen, ['kept [1]'])
  await timers.trigger('moved')
  await timers.resume('slept')
  await clock.advance('0s')
  assert.deepEqual(seen.toSorted(), ['kept [1]', 'moved {"n":2}', 'slept null'])
  await assert.rejects(timers.cancel('kept'), { code: 'TIMER_NOT_PENDING' })
  const { timers: found } = await timers.list({ metadataKey: 'who', metadataValue: 'ada' })
  assert.deepEqual(
    found.map(({ id, schedule, callback, metadata }) => ({ id, schedule, callback, metadata })),
    [{ id: 'kept', schedule: 'P1D', callback: { type: 'function' }, metadata: { who: 'ada' } }],
  )
  assert.deepEqual(
    timers.preview({ every: '1mo', from: '2026-01-31T00:00:00Z', count: 2 }).map((at) => at.toISOString().slice(0, 10)),
    ['2026-01-31', '2026-02-28'],
  )
})

test('a timer can call a URL instead of a handler', async (t) => {
  const bodies: string[] = []
  const receiver = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text))
    request.on('end', () => response.end('{"ok":true}'))
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.after(() => receiver.close())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const { clock, timers } = await setup(t)
  await timers.create({ id: 'a', after: '1d', callback: { type: 'http', url }, payload: { n: 1 } })
  await clock.advance('1d')
  assert.equal((await timers.get('a')).status, 'completed')
  assert.deepEqual((JSON.parse(bodies.join('')) as { payload: unknown }).payload, { n: 1 })
})

test('a clock cannot be moved while it is being moved, nor backwards, nor for ever', async (t) => {
  const { clock, timers } = await setup(t)
  let inside: unknown
  timers.handle('n', () => clock.advance('1s').catch((error: unknown) => void (inside = error)))
  await timers.create({ namespace: 'n', id: 'a', after: '1s' })
  await clock.advance('1s')
  assert.match(String(inside), /being advanced already/)
  await assert.rejects(clock.advanceTo('2025-01-01T00:00:00Z'), /does not go back/)
})

test('the example of the README has less than 15 lines and does what it says', async (t) => {
  const example = join(root, 'examples', 'embedded.ts')
  assert.ok(readFileSync(example, 'utf8').trimEnd().split('\n').length < 15)
  const program = spawn(process.execPath, [FROM_SOURCE, example], {
    cwd: tempDir(t),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => program.kill('SIGKILL'))
  const ended = once(program, 'exit').then(([code]) => assert.fail(`the example ended with code ${code}`))
  const [line] = (await Promise.race([once(program.stdout.setEncoding('utf8'), 'data'), ended])) as [string]
  ended.catch(() => {})
  assert.equal(line, 'invoice-42: remind Ada of 25 € (attempt 1)\n')
})

test('the example of a test passes', async () => {
  const env = { ...process.env }
  delete env['NODE_TEST_CONTEXT']
  const args = [FROM_SOURCE, '--test', join(root, 'examples', 'embedded.test.ts')]
  const program = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore' })
  const [code] = (await once(program, 'exit')) as [number]
  assert.equal(code, 0)
})

test('ids with characters that not every database can keep are refused', async (t) => {
  const { timers } = await setup(t)
  for (const id of ['a\0b', 'a\ud800'])
    await assert.rejects(timers.create({ id, after: '1h' }), /id must be well-formed Unicode text without NUL/)
})

test('any number of timers is created from a generator or a stream, and what is refused is passed over or ends it', async (t) => {
  const { timers } = await setup(t)
  let read = 0
  function* some(count: number, namespace: string, wrong = -1): Generator<CreateFields> {
    try {
      for (let n = 0; n < count; n++) {
        yield { namespace, id: `t${n}`, ...(n === wrong ? { at: 'tomorrow' } : { after: '1h' as const }) }
        read++
      }
    } finally {
      read += 1_000_000
    }
  }
  const countOf = async (namespace: string) => {
    let [count, cursor]: [number, string | null] = [0, null]
    do {
      const page: TimerPage = await timers.list({ namespace, limit: 1_000, ...(cursor !== null && { cursor }) })
      count += page.timers.length
      cursor = page.nextCursor
    } while (cursor !== null)
    return count
  }

  const progress: number[] = []
  const onProgress = ({ created }: { created: number }) => void progress.push(created)
  assert.deepEqual(await timers.createMany(some(2_500, 'a'), { onProgress }), { created: 2_500, refused: 0 })
  assert.deepEqual(progress, [1_000, 2_000, 2_500])
  assert.equal(await countOf('a'), 2_500)

  const refused: unknown[] = []
  const onRefused = (error: DuetimeError, { id }: CreateFields, index: number) =>
    void refused.push([error.code, id, index])
  const stream = Readable.from(some(1_200, 'b', 1_100))
  assert.deepEqual(await timers.createMany(stream, { onRefused }), { created: 1_199, refused: 1 })
  assert.deepEqual(refused, [['INVALID_SCHEDULE', 't1100', 1_100]])

  read = 0
  await assert.rejects(timers.createMany(some(100_000, 'c', 10)), (error: DuetimeError) => {
    assert.match(error.message, /^timer 10: /)
    assert.equal(error.details['index'], 10)
    return true
  })
  assert.ok(read >= 1_000_000 && read < 1_010_000, 'the generator was told to stop, soon')
})

test('promises in a list of timers are awaited one by one, and the first that fails ends it', async (t) => {
  const { timers } = await setup(t)
  let [underWay, most, closed] = [0, 0, 0]
  const fields = async (n: number): Promise<CreateFields> => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay--
    if (n === 5) throw new Error('no such order')
    return { namespace: 'lazy', id: `t${n}`, after: '1h' }
  }
  function* orders(count: number): Generator<Promise<CreateFields>> {
    try {
      for (let n = 0; n < count; n++) yield fields(n)
    } finally {
      closed++
    }
  }
  const created = timers.createMany(orders(5) as unknown as Iterable<CreateFields>)
  assert.deepEqual(await created, { created: 5, refused: 0 })
  assert.deepEqual([most, closed], [1, 1])

  // It would throw when it is asked again: nobody does, and nothing is left that nobody waits for.
  await assert.rejects(timers.createMany(orders(100) as unknown as Iterable<CreateFields>), /no such order/)
  assert.deepEqual([most, closed], [1, 2])
})

test('an iterator of timers that has come to its end, or has failed, is not told to stop', async (t) => {
  const { timers } = await setup(t)
  const failure = new Error('the source is gone')
  for (const end of [
    () => ({ done: true, value: undefined }) as const,
    () => {
      throw failure
    },
  ]) {
    let left = 3
    const items = {
      next: () =>
        left-- > 0 ? ({ done: false, value: { namespace: 'it', id: `t${left}`, after: '1h' } } as const) : end(),
      return: () => assert.fail('it was told to stop'),
      [Symbol.iterator]() {
        return this
      },
    }
    const creating = timers.createMany(items)
    await creating.catch((error: unknown) => assert.equal(error, failure))
  }
})

test('an instant that cannot be is refused with its text, in whatever form it came', async (t) => {
  const { timers } = await setup(t)
  const [past, far] = ['2001-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z']
  for (const text of [past, far]) {
    for (const at of [text, new Date(text), Date.parse(text)]) {
      await assert.rejects(timers.create({ at }), (error: DuetimeError) => {
        assert.deepEqual([error.code, error.details['provided']], ['INVALID_SCHEDULE', text])
        return true
      })
    }
  }
})

test('of a batch, creates of one id are carried out in order', async (t) => {
  const { timers } = await setup(t)
  const results = await timers.batch([1, 2, 3].map((payload) => ({ id: 'a', after: '1h', payload })))
  assert.deepEqual(
    results.map((result) => result.ok && result.timer.version),
    [1, 2, 3],
  )
  assert.equal((await timers.get('a')).payload, 3)
})

test('timers follow a calendar of the program, which says when nothing fires', async (t) => {
  const { clock, timers } = await setup(t) // it is 2026-01-01, a Thursday
  const seen: string[] = []
  timers.handle('default', ({ id, firedAt }) => void seen.push(`${id} ${firedAt.toISOString().slice(8, 13)}`))
  const refused = (promise: Promise<unknown>, code: string, field?: string) =>
    assert.rejects(promise, (error: DuetimeError) => error.code === code && error.details['field'] === field)
  await refused(timers.calendars.put('weekdays', { exclude: ['weekend'] }), 'INVALID_INPUT', 'exclude[0]')
  await refused(timers.calendars.put('weekdays', { excluded: [] } as never), 'INVALID_INPUT', 'excluded')
  await refused(timers.create({ every: '1d', calendar: { name: 'weekdays' } }), 'INVALID_INPUT', 'calendar')
  await refused(timers.calendars.get('weekdays'), 'CALENDAR_NOT_FOUND')
  await timers.calendars.put('weekdays', { timeZone: 'Europe/Berlin', exclude: ['SAT-SUN'] })
  assert.deepEqual(
    (await timers.calendars.list()).map(({ name }) => name),
    ['weekdays'],
  )
  const calendar = { name: 'weekdays', onExcluded: 'move' as const }
  const previewed = await timers.previewOnCalendar({ at: '2026-01-03T12:00:00Z', calendar })
  assert.deepEqual(previewed, [new Date('2026-01-04T23:00:00Z')])
  assert.throws(() => timers.preview({ every: '1d', calendar }), /there is no calendar/)
  const made = await timers.create({ id: 'once', at: '2026-01-03T12:00:00Z', calendar })
  assert.deepEqual(
    [made.dueAt, made.nominalAt, made.calendar],
    [previewed[0], new Date('2026-01-03T12:00:00Z'), calendar],
  )
  await timers.create({ id: 'daily', every: 'day at 9:00', timeZone: 'Europe/Berlin', calendar: { name: 'weekdays' } })
  await clock.advance('5d')
  assert.deepEqual(seen, ['daily 01T08', 'daily 02T08', 'once 04T23', 'daily 05T08'])
  await timers.calendars.delete('weekdays')
  assert.deepEqual(await timers.calendars.list(), [])
})
