import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { decide } from '../../core/rules/decide.ts'
import { talliesOf } from '../../core/statistics/tallies.ts'
import { shardOf } from '../../core/timer/ids.ts'
import { Status } from '../../core/timer/timer.ts'
import type { Namespace, Timer, TimerId } from '../../core/timer/timer.ts'
import { calendarsRow, calendarsText } from '../../engine/calendars/node-calendars.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { SAMPLE_NOW, sampleTimer } from '../../store/conformance/sample-timer.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { processDir } from '../../../test/support/temp-dir.ts'
import { temporaryFile } from '../../store/sqlite/file/temporary-file.fixture.ts'
import { StoreError } from '../../store/store.ts'
import type { ListQuery, Store } from '../../store/store.ts'
import { exportTimers } from './export-timers.ts'
import { checkTimerFile } from './read-timer-file.ts'
import { endLine, headerLine, timerLine } from './timer-file.ts'
import { contentsOf, everyKindOfTimer, fill, importInto, LARGEST_PAYLOAD, numberedTimers } from './transfer.fixture.ts'
import { TransferError } from './transfer-error.ts'

const clock = new ManualClock(SAMPLE_NOW)

async function exportOf(source: Store): Promise<string> {
  const path = temporaryFile('timers.ndjson')
  await exportTimers({ source, path, clock })
  return path
}

async function exported(timers: readonly Timer[]): Promise<string> {
  const source = new MemoryStore()
  await fill(source, timers)
  return exportOf(source)
}

/** A file as somebody might have edited it. */
function fileOf(...lines: readonly string[]): string {
  const path = temporaryFile('timers.ndjson')
  writeFileSync(path, lines.join(''))
  return path
}

const header = headerLine({ program: '0', source: 'sqlite', exportedAt: '2030-01-01T00:00:00Z', timers: 2 })
const [one, two] = numberedTimers(2).map(timerLine) as [string, string]

test('every fault of a file is named with its line before anything is imported', async () => {
  const cases: [string, RegExp][] = [
    [fileOf(), /line 1: the file ends here/],
    [fileOf('PK\u0003\u0004\nzip\nzip\n'), /:\n {2}line 1: it is not JSON$/],
    [fileOf(one, two, endLine(2)), /line 1: the first line must be the header/],
    [fileOf(header, one, two), /line 4: the file ends here.*cut off/],
    [fileOf(header, one, two.slice(0, 50)), /line 3: it is not JSON[^]*line 4: the file ends here/],
    [fileOf(header, one, endLine(2)), /line 3: the file should have 2 timers, and 1 are in it/],
    [fileOf(header, one, endLine(1), two), /line 4: something follows the last line/],
    [fileOf(header, header, endLine(0)), /line 2: a second header/],
    [
      fileOf(header, one.replace('"version":1', '"version":"1"'), '{}\n', two, endLine(3)),
      /line 2: version must be .*\n {2}line 3: must/,
    ],
    [fileOf(header, ...Array.from({ length: 30 }, () => '{}\n'), endLine(30)), /line 21: [^\n]*\n {2}and 10 more$/],
  ]
  for (const [path, says] of cases) {
    await assert.rejects(checkTimerFile(path), (error) => error instanceof TransferError && says.test(error.message))
  }
  const latin1 = temporaryFile()
  writeFileSync(latin1, Buffer.from(header + one.replace('order-0', 'ordré') + endLine(1), 'latin1'))
  await assert.rejects(checkTimerFile(latin1), /line 2: it is not UTF-8/)
})

test('a file that an editor gave a byte order mark, other line ends and an empty last line is taken', async () => {
  const path = fileOf(`\uFEFF${header}`, one.replace('\n', '\r\n'), two, endLine(2), '\n\n')
  assert.equal((await checkTimerFile(path)).timers, 2)
  assert.equal((await importInto(new MemoryStore(), path)).added, 2)
})

test('an export never overwrites a file, and leaves nothing behind when it fails', async () => {
  const taken = fileOf('mine')
  await assert.rejects(exportTimers({ source: new MemoryStore(), path: taken, clock }), { code: 'EEXIST' })
  assert.equal(readFileSync(taken, 'utf8'), 'mine')

  const directory = processDir()
  const failing = Object.assign(new MemoryStore(), { list: () => Promise.reject(new StoreError('the disk is gone')) })
  await assert.rejects(exportTimers({ source: failing, path: `${directory}/a`, clock }), /the disk is gone/)
  const aborted = { source: new MemoryStore(), path: `${directory}/b`, clock, signal: AbortSignal.abort() }
  await assert.rejects(exportTimers(aborted), TransferError)
  assert.deepEqual(readdirSync(directory), [])
})

test('an export that is cut off goes on where it stopped while nothing has changed, and begins anew when something has', async () => {
  const source = new MemoryStore()
  await fill(source, numberedTimers(350))
  const whole = readFileSync(await exportOf(source), 'utf8')
  const asked: (object | null)[] = []
  const watched = {
    capabilities: source.capabilities,
    stats: () => source.stats(),
    list: (query: ListQuery) => (asked.push(query.after), source.list(query)),
  }
  const path = temporaryFile('timers.ndjson')
  const stopped = async (found: string, left: string) => {
    const interruption = new AbortController()
    const running = exportTimers({
      source: watched,
      path,
      clock,
      stillness: { found, left },
      signal: interruption.signal,
      onProgress: () => interruption.abort(),
    })
    await assert.rejects(running, /stopped after \d+ of 350 timers\.\nRun the same command again/)
    return asked.splice(0)
  }
  assert.deepEqual(await stopped('1', '2'), [null])
  assert.equal((await stopped('2', '3')).includes(null), false, 'goes on')
  assert.deepEqual(await stopped('4', '5'), [null], 'somebody owned it in between')
  const note = JSON.parse(readFileSync(`${path}.progress`, 'utf8')) as object
  writeFileSync(`${path}.progress`, JSON.stringify({ ...note, pid: process.ppid }))
  await assert.rejects(
    exportTimers({ source: watched, path, clock, stillness: { found: '5', left: '6' } }),
    /is writing .*timers\.ndjson/,
  )
  // As after a crash: more is in the file than was noted.
  writeFileSync(`${path}.progress`, JSON.stringify(note))
  writeFileSync(`${path}.partial`, `${readFileSync(`${path}.partial`, 'utf8')}{"half a li`)
  assert.deepEqual(await exportTimers({ source: watched, path, clock, stillness: { found: '5', left: '6' } }), {
    timers: 350,
    resumedAt: 100,
  })
  assert.equal(readFileSync(path, 'utf8'), whole)
  assert.deepEqual(readdirSync(dirname(path)), ['timers.ndjson'])
})

test('a timer that is there in another version stays, and is named; with update the later version wins', async () => {
  const [other, earlier] = ['other' as TimerId, 'earlier' as TimerId]
  const path = await exported([sampleTimer({ version: 3 }), sampleTimer({ id: other }), sampleTimer({ id: earlier })])
  const there = [
    sampleTimer({ version: 2, status: Status.paused, wakeAt: 8_640_000_000_000_000, dueAt: SAMPLE_NOW }),
    sampleTimer({ id: other, createdAt: SAMPLE_NOW - 1 }), // the same version of another timer
    sampleTimer({ id: earlier, version: 2 }),
  ]
  const store = new MemoryStore()
  await fill(store, there)
  const kept = await importInto(store, path)
  assert.deepEqual([kept.added, kept.present, kept.kept], [0, 0, 3])
  assert.ok(
    kept.keptExamples.some(
      ({ id, versionInFile, versionThere }) => id === 'sample' && versionInFile === 3 && versionThere === 2,
    ),
  )
  assert.deepEqual(new Set(Array.from((await contentsOf(store)).values(), ({ timer }) => timer)), new Set(there))

  const updated = await importInto(store, path, { update: true })
  assert.deepEqual([updated.updated, updated.kept], [1, 2])
  const statuses = (await store.stats()).counts.map(({ status, count }) => [status, count])
  assert.deepEqual(statuses, [['pending', 3]])
})

test('an import that is cut off anywhere is finished by running it again, and nothing is lost or doubled', async () => {
  const path = await exported(numberedTimers(2_200))
  for (const { committed, name } of [
    { committed: true, name: 'after the commit' },
    { committed: false, name: 'before the commit' },
  ]) {
    const store = new MemoryStore({ shards: 4 })
    const commit = store.commit.bind(store)
    let calls = 0
    store.commit = async (parts) => {
      calls++
      if (calls === 3 && committed) await commit(parts)
      if (calls === 3) throw new StoreError('the connection was cut', { outcomeUnknown: true })
      return commit(parts)
    }
    await assert.rejects(importInto(store, path), /the connection was cut\nRun the same command again/, name)
    assert.ok(
      (await store.shards()).every(({ owner }) => owner === null),
      name,
    )
    const second = await importInto(store, path)
    assert.deepEqual([second.present, second.added], committed ? [1_500, 700] : [1_000, 1_200], name)
    assert.equal((await contentsOf(store)).size, 2_200, name)
  }
})

test('an import that is interrupted stops between two batches and says how far it came', async () => {
  const path = await exported(numberedTimers(1_200))
  const store = new MemoryStore()
  const interruption = new AbortController()
  const stopped = importInto(store, path, { signal: interruption.signal, onProgress: () => interruption.abort() })
  await assert.rejects(stopped, /stopped after 500 of 1200 timers/)
  assert.deepEqual(await importInto(store, path), { added: 700, present: 500, updated: 0, kept: 0, keptExamples: [] })
})

test('a node that takes a shard over ends the import', async () => {
  const path = await exported(numberedTimers(1_200))
  const store = new MemoryStore()
  const takeOver = async () => {
    const [{ shard, epoch, owner }] = (await store.shards()) as [Awaited<ReturnType<Store['shards']>>[number]]
    await store.claim({ shard, expected: epoch, from: owner, owner: 'node' })
  }
  await assert.rejects(
    importInto(store, path, { onProgress: () => void takeOver() }),
    /A node took shard 0 over: stop every node first/,
  )
  assert.equal((await contentsOf(store)).size, 500)
})

test('10,000 timers of every kind go from SQLite to a file to another number of shards to SQLite, and stay what they were', async () => {
  const timers = [
    ...everyKindOfTimer(),
    sampleTimer({ id: 'largest' as TimerId, payload: LARGEST_PAYLOAD }),
    ...numberedTimers(9_987),
  ]
  const source = await openSqliteStore({ path: temporaryFile() })
  await fill(source, timers)
  const expected = await contentsOf(source)
  assert.equal(expected.size, 10_000)

  const path = await exportOf(source)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.ok(!existsSync(`${path}.partial`))
  assert.equal((await checkTimerFile(path)).timers, 10_000)
  const middle = new MemoryStore({ shards: 64 })
  const progress: number[] = []
  assert.equal((await importInto(middle, path, { onProgress: (done) => progress.push(done) })).added, 10_000)
  assert.deepEqual(await contentsOf(middle), expected)
  assert.ok(progress.length >= 20 && progress.at(-1) === 10_000)

  const target = await openSqliteStore({ path: temporaryFile() })
  const result = await importInto(target, path)
  assert.deepEqual(result, { added: 10_000, updated: 0, present: 0, kept: 0, keptExamples: [] })
  assert.deepEqual(await contentsOf(target), expected)
  assert.deepEqual(counts(await target.stats()), counts(await source.stats()))
  assert.equal((await importInto(target, path)).present, 10_000)
  await Promise.all([source.close(), target.close()])
})

function counts(stats: Awaited<ReturnType<Store['stats']>>): string[] {
  return stats.counts.map((count) => JSON.stringify(count)).toSorted()
}

test('what stands is counted in the new store, what happened stays with the old one', async () => {
  const timer = sampleTimer({ schedule: 'R/PT1H', anchorAt: SAMPLE_NOW })
  const store = new MemoryStore()
  await importInto(store, await exported([timer]))
  const names = (await store.tallies({ since: null })).sums.map(({ name, amount }) => `${name} ${amount}`)
  assert.deepEqual(
    names.toSorted(),
    talliesOf(null, timer)
      .filter(({ slotAt }) => slotAt === 0)
      .map(({ name }) => `${name} 1`)
      .toSorted(),
  )
})

test('calendars, and the timers that name them, arrive as they were; one that cannot be is refused', async () => {
  const identity = calendarsRow('shop' as Namespace)
  const calendar = { name: 'weekdays', timeZone: 'Europe/Berlin', exclude: ['SAT-SUN'], allow: [] }
  const command = { type: 'document', ...identity, document: calendarsText([calendar]), ifVersion: 0 } as const
  const { timer: row } = decide(null, command, { now: SAMPLE_NOW, retentionMs: 0 })
  const rules = { calendar: { name: 'weekdays', onExcluded: 'move' as const } }
  const timers = [sampleTimer({ id: 'a' as TimerId, rules }), row]
  const path = await exported(timers)
  const target = new MemoryStore()
  await checkTimerFile(path)
  assert.equal((await importInto(target, path)).added, 2)
  assert.deepEqual([...(await contentsOf(target)).values()].map(({ timer }) => timer.rules), [rules]) // oxfmt-ignore
  const key = { ...identity, shard: shardOf(identity.uuid, target.capabilities.shards) }
  assert.deepEqual(await target.getMany([key]), [row])
  const broken = fileOf(
    header,
    one,
    timerLine({ ...row, payload: calendarsText([{ ...calendar, exclude: ['?'] }]) }),
    endLine(2),
  )
  await assert.rejects(checkTimerFile(broken), /line 3: "\?" is not an entry of a calendar/)
})
