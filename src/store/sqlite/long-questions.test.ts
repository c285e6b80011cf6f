// Questions that may take long have a thread of their own: due timers do not wait behind them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STANDING } from '../../core/statistics/tallies.ts'
import { NEVER } from '../../core/timer/timer.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import { Owned, SHARD } from '../conformance/owned-store.ts'
import type { Counter } from '../store.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { temporaryFile } from './file/temporary-file.fixture.ts'

const DAYS = 5_000

test('what is due does not wait for the statistics of a tenant whose timers wake on thousands of days', async (t) => {
  const owned = await Owned.open(t, () => openSqliteStore({ path: temporaryFile() }))
  const wakes = Array.from({ length: DAYS }, (_, day): Counter => {
    return { namespace: 'dear' as Namespace, slotAt: STANDING, name: `wake.d.${day}`, amount: 1 }
  })
  await owned.count(...wakes)
  const { store } = owned
  const answered: string[] = []
  await Promise.all([
    store.tallies({ since: null, namespace: 'dear' as Namespace }).then(() => answered.push('statistics')),
    store.due({ shard: SHARD, after: null, until: NEVER - 1, limit: 10 }).then(() => answered.push('due')),
  ])
  assert.deepEqual(answered, ['due', 'statistics'])
})
