import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Status } from '../../core/timer/timer.ts'
import type { JsonText, Timer, TimerId } from '../../core/timer/timer.ts'
import { changed, Owned } from '../conformance/owned-store.ts'
import { SAMPLE_NOW, sampleTimer } from '../conformance/sample-timer.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { temporaryFile } from './file/temporary-file.fixture.ts'

const LARGE = JSON.stringify('x'.repeat(255 * 1_024)) as JsonText
const SMALL = '"small"' as JsonText

test('a large payload is not in its row, so that rows are found without reading it, and goes with its timer', async (t) => {
  const path = temporaryFile()
  const owned = await Owned.open(t, () => openSqliteStore({ path, cacheMiB: 4 }))
  const db = new DatabaseSync(path, { readOnly: true })
  t.after(() => db.close())
  const stored = () => db.prepare('SELECT count(*) AS count FROM timer_payloads').get()!['count']

  const timers = Array.from({ length: 20 }, (_, n) => sampleTimer({ id: `t${n}` as TimerId, payload: LARGE }))
  await owned.add(...timers, sampleTimer({ id: 'small' as TimerId, payload: SMALL }))
  const overflowing = db
    .prepare(`SELECT count(*) AS count FROM dbstat WHERE name = 'timers' AND pagetype = 'overflow'`)
    .get()!['count']
  assert.deepEqual([overflowing, stored()], [0, 20])

  const [first, second, third] = timers as [Timer, Timer, Timer]
  const kept: Timer = { ...first, version: 2, status: Status.paused }
  const shrunk: Timer = { ...second, version: 2, payload: SMALL }
  const other: Timer = { ...third, version: 2, payload: LARGE.replace('x', 'y') as JsonText }
  await owned.put(changed(kept, first), changed(shrunk, second), changed(other, third))
  assert.deepEqual([await owned.get(first), await owned.get(second), await owned.get(third)], [kept, shrunk, other])
  assert.equal(stored(), 19)
  assert.equal(db.prepare(`SELECT payload FROM timers_readable WHERE id = 't2'`).get()!['payload'], other.payload)

  const stale = changed({ ...timers[5]!, version: 3, payload: SMALL }, { ...timers[5]!, version: 2 })
  assert.equal((await owned.put(stale)).size, 1)
  assert.equal(stored(), 19, 'what is refused changes nothing')

  const ended = timers
    .slice(10)
    .map((timer) => ({ ...timer, version: 2, status: Status.completed, wakeAt: SAMPLE_NOW }))
  await owned.put(...ended.map((timer, index) => changed(timer, timers[10 + index]!)))
  assert.equal(await owned.prune({ now: SAMPLE_NOW + 1, limit: 100 }), 10)
  assert.equal(stored(), 9)
})
