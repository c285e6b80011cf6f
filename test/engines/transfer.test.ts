// From the server of one engine to that of another, by export and import, both of which are cut off in the middle: the export is
// stopped, and the command of the import is killed. What arrives is what was there, down to the delivery ids.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { onServer } from '../../scripts/servers/server.fixture.ts'
import type { RunningServer, ServerName } from '../../scripts/servers/servers.ts'
import type { TimerId } from '../../src/core/timer/timer.ts'
import { systemClock } from '../../src/runtime/clock/clock.ts'
import { exportTimers } from '../../src/service/transfer/export-timers.ts'
import {
  contentsOf,
  everyKindOfTimer,
  fill,
  importInto,
  LARGEST_PAYLOAD,
  numberedTimers,
  ownAll,
} from '../../src/service/transfer/transfer.fixture.ts'
import { sampleTimer } from '../../src/store/conformance/sample-timer.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import type { Store } from '../../src/store/store.ts'
import { runCli, start } from '../support/cli.ts'
import { eventually } from '../support/eventually.ts'
import { tempDir } from '../support/temp-dir.ts'
import { openOn } from './engines.ts'

/** Each engine comes once; those in src/service/transfer go to SQLite and back. */
const WAYS: readonly (readonly [ServerName, ServerName])[] = [
  ['mariadb', 'ferretdb'],
  ['cassandra', 'dynamodb'],
]
const SHARDS = 4
const LEASE = '3s'
const TIMERS = [
  ...everyKindOfTimer(),
  sampleTimer({ id: 'largest' as TimerId, payload: LARGEST_PAYLOAD }),
  ...numberedTimers(4_000),
]

for (const [from, to] of WAYS)
  describe(`${from} to ${to}`, () => {
    onServer(from, (source) => {
      onServer(to, (target) => {
        test('every timer arrives as it was', (t) => arrives(t, source(), target()))
      })
    })
  })

async function arrives(t: TestContext, source: RunningServer, target: RunningServer): Promise<void> {
  const path = join(tempDir(t), 'timers.ndjson')
  const before = await openOn(source, 'moved', SHARDS)
  t.after(() => before.close())
  await fillFrom(`${path}.samples`, before)
  const expected = await contentsOf(before)
  assert.equal(expected.size, TIMERS.length)
  await exportInTwo(before, path)
  await importInTwo(t, target, path)
  const after = await openOn(target, 'moved', SHARDS)
  t.after(() => after.close())
  assert.deepEqual(await contentsOf(after), expected)
}

/** In commits that are as small as the engine wants them. */
async function fillFrom(path: string, store: Store): Promise<void> {
  const memory = new MemoryStore()
  await fill(memory, TIMERS)
  await exportTimers({ source: memory, path, clock: systemClock })
  assert.equal((await importInto(store, path)).added, TIMERS.length)
}

/** It is stopped after some pages, and goes on from there. */
async function exportInTwo(source: Store, path: string): Promise<void> {
  const seen: number[] = []
  const stop = new AbortController()
  const run = async (signal?: AbortSignal) => {
    const owner = await ownAll(source)
    const onProgress = (done: number, total: number): void => {
      assert.equal(total, TIMERS.length)
      seen.push(done)
      if (done >= 1_000) stop.abort()
    }
    const options = { source, stillness: owner.stillness(), path, clock: systemClock, onProgress }
    try {
      return await exportTimers({ ...options, ...(signal !== undefined && { signal }) })
    } finally {
      await owner.release()
    }
  }
  await assert.rejects(run(stop.signal), /The export was stopped after \d+ of \d+ timers[^]*go on from there/)
  const { timers, resumedAt } = await run()
  assert.equal(timers, TIMERS.length)
  assert.ok(resumedAt >= 1_000)
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  )
}

/** The first command is killed, so the second one waits until its lease is over. */
async function importInTwo(t: TestContext, server: RunningServer, path: string): Promise<void> {
  const env = { ...server.environment('moved'), SHARDS: String(SHARDS), LEASE }
  const store = await openOn(server, 'moved', SHARDS)
  t.after(() => store.close())
  const arrived = async () => (await store.stats()).counts.reduce((sum, { count }) => sum + count, 0)
  const first = start(t, ['import', path], { env })
  await eventually('some timers have arrived', async () => (await arrived()) > 0, { withinMs: 60_000 })
  first.kill()
  await first.ended
  const there = await arrived()
  assert.ok(there < TIMERS.length, 'it was killed too late to show anything')
  const { code, out, err } = await runCli(['import', path], { env })
  assert.equal(code, 0, err)
  const [added, present] = Array.from(out.matchAll(/[\d,]+(?= timers added| were there already)/g), ([count]) =>
    Number(count.replace(',', '')),
  )
  assert.equal(added! + present!, TIMERS.length, out)
  assert.ok(present! >= there, out)
}
