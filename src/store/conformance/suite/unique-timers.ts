// What a store must do beside conformance.ts if its database can be failed over to a state without the last writes: there a timer may be
// in the shard that it was in before it was moved, while its owner still believes otherwise.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { ShardId } from '../../../core/timer/timer.ts'
import { partOf } from '../../commit-sheet.ts'
import { absent, changed, claimed, getOne, Owned, OWNER, SHARD } from '../owned-store.ts'
import type { OpenEmptyStore } from '../owned-store.ts'
import { sampleTimer } from '../sample-timer.ts'

const OTHER = 5 as ShardId

export function storeUniqueTimers(name: string, openStore: OpenEmptyStore): void {
  const setup = async (t: TestContext) => {
    const owned = await Owned.open(t, openStore)
    const other = { shard: OTHER, epoch: await claimed(owned.store, OTHER), owner: OWNER }
    const timer = sampleTimer()
    await owned.add(timer)
    return { owned, other, timer }
  }

  test(`${name}: a timer is found in whichever shard it is`, async (t) => {
    const { owned, timer } = await setup(t)
    assert.deepEqual(await getOne(owned.store, timer, OTHER), timer)
  })

  test(`${name}: a timer of another shard is in the way of a new one, and of a change`, async (t) => {
    const { owned, other, timer } = await setup(t)
    const anew = { ...timer, createdAt: timer.createdAt + 1 }
    for (const put of [absent(anew), changed({ ...anew, version: timer.version + 1 }, timer)]) {
      const [result] = await owned.store.commit([partOf(other, [put])])
      assert.deepEqual(result, { type: 'missed', rows: new Map([[timer.uuid, timer]]) })
    }
    assert.deepEqual(await owned.store.scan({ shard: OTHER, finished: false, after: null, limit: 1 }), [])
    assert.deepEqual(await owned.store.scan({ shard: SHARD, finished: false, after: null, limit: 2 }), [timer])
  })
}
