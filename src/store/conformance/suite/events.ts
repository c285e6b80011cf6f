// What every store's outbox must do; a part of the suite in conformance.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LifecycleEvent, LifecycleEventType } from '../../../core/events/lifecycle-event.ts'
import type { JsonText, ShardId, Timer, TimerId } from '../../../core/timer/timer.ts'
import { partOf } from '../../commit-sheet.ts'
import type { Change } from '../../commit-sheet.ts'
import { absent, changed, claimed, OWNER, SHARD } from '../owned-store.ts'
import type { Owned, Setup } from '../owned-store.ts'
import { SAMPLE_NOW, sampleTimer } from '../sample-timer.ts'
import type { OutboxEvent, Put, Store } from '../../store.ts'

const OTHER = 3 as ShardId

/** An event as the engine would make it, told apart by a word. */
export function eventOf(
  { namespace, uuid, version }: Timer,
  word: string,
  type: LifecycleEventType = 'created',
): LifecycleEvent {
  const body = `{"word":"${word}","big":12345678901234567890}` as JsonText
  return { id: `${uuid}-${version}-${word}`, type, namespace, uuid, at: SAMPLE_NOW + version, body }
}

function wordsOf(events: readonly LifecycleEvent[]): string {
  return events.map(({ body }) => (JSON.parse(body) as { word: string }).word).join(' ')
}

async function words(store: Store, shard = SHARD): Promise<string> {
  return wordsOf(await store.readEvents({ shard, after: 0, limit: 100 }))
}

export function storeEvents(name: string, setup: Setup): void {
  test(`${name}: a part with a row in its way leaves no event behind`, async (t) => {
    const owned = await setup(t)
    const [a, b] = [sampleTimer({ id: 'a' as TimerId }), sampleTimer({ id: 'b' as TimerId })]
    await owned.add(a)
    const outdated = changed({ ...a, version: 9 }, { ...a, version: 8 })
    assert.equal((await owned.put(told(absent(b), 'no'), told(outdated, 'no'))).size, 1)
    await owned.put(told(absent(b), 'one', 'two'))
    assert.equal(await words(owned.store), 'one two')
  })

  test(`${name}: an owner that was fenced out leaves no event behind`, async (t) => {
    const owned = await setup(t)
    await owned.store.claim({ shard: SHARD, expected: owned.epoch, from: OWNER, owner: 'b' })
    const other = await claimed(owned.store, OTHER)
    const [stale, current] = [sampleTimer({ id: 'a' as TimerId }), sampleTimer({ id: 'b' as TimerId })]
    const results = await owned.store.commit([
      partOf(owned.fence, [told(absent(stale), 'no')]),
      partOf({ shard: OTHER, epoch: other, owner: OWNER }, [told(absent(current), 'yes')]),
    ])
    assert.deepEqual(
      results.map(({ type }) => type),
      ['fenced', 'written'],
    )
    assert.deepEqual([await words(owned.store), await words(owned.store, OTHER)], ['', 'yes'])
  })

  test(`${name}: events come out whole, in the order of commits and puts, from behind a number, a few at a time`, async (t) => {
    const { store, ...owned } = await withFiveEvents(setup, t)
    const all = await store.readEvents({ shard: SHARD, after: 0, limit: 100 })
    assert.equal(wordsOf(all), '1 2 3 4 5')
    const { number: _, ...first } = all[0]!
    assert.deepEqual(first, eventOf(owned.first, '1'))
    assert.equal(wordsOf(await store.readEvents({ shard: SHARD, after: 0, limit: 2 })), '1 2')
    assert.equal(wordsOf(await store.readEvents({ shard: SHARD, after: all[1]!.number, limit: 2 })), '3 4')
    assert.deepEqual(await store.readEvents({ shard: OTHER, after: 0, limit: 2 }), [])
  })

  test(`${name}: events that wait are there after the first commit of the next owner, too`, async (t) => {
    const { store, epoch } = await withFiveEvents(setup, t)
    const next = await store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b' })
    for (let commits = 0; commits < 2; commits++)
      assert.deepEqual(await store.commit([partOf({ shard: SHARD, epoch: next!, owner: 'b' }, [])]), [
        { type: 'written' },
      ])
    assert.equal(await words(store), '1 2 3 4 5')
    assert.equal((await store.countEvents([SHARD])).count, 5)
  })

  test(`${name}: what was removed is gone, twice is as good as once, and the rest stays in order`, async (t) => {
    const { store } = await withFiveEvents(setup, t)
    const all = await store.readEvents({ shard: SHARD, after: 0, limit: 100 })
    const numbers = [all[1]!.number, all[3]!.number]
    for (let times = 0; times < 2; times++) await store.removeEvents({ shard: SHARD, numbers })
    await store.removeEvents({ shard: SHARD, numbers: [] })
    assert.equal(await words(store), '1 3 5')
  })

  test(`${name}: numbers go on growing when the outbox was emptied and the shard changed hands`, async (t) => {
    const { store, epoch } = await withFiveEvents(setup, t)
    const all = await store.readEvents({ shard: SHARD, after: 0, limit: 100 })
    await store.removeEvents({ shard: SHARD, numbers: numbersOf(all) })
    const next = (await store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b' }))!
    const timer = sampleTimer({ id: 'z' as TimerId })
    await store.commit([partOf({ shard: SHARD, epoch: next, owner: 'b' }, [told(absent(timer), '6')])])
    // The owner before is late with what it has published; that must not take away what came since.
    await store.removeEvents({ shard: SHARD, numbers: numbersOf(all) })
    const [event] = await store.readEvents({ shard: SHARD, after: all.at(-1)!.number, limit: 100 })
    assert.equal(wordsOf([event!]), '6')
  })

  test(`${name}: events are counted by shard, with the time of the oldest`, async (t) => {
    const { store } = await withFiveEvents(setup, t)
    assert.deepEqual(await store.countEvents([SHARD, OTHER]), { count: 5, oldestAt: SAMPLE_NOW + 1 })
    assert.deepEqual(await store.countEvents([OTHER]), { count: 0, oldestAt: null })
    assert.deepEqual(await store.countEvents([]), { count: 0, oldestAt: null })
  })

  test(`${name}: a thousand events of one commit keep their order`, async (t) => {
    const owned = await setup(t)
    const expected = Array.from({ length: 1_000 }, (_, n) => String(n))
    await owned.put(...expected.map((word) => told(absent(sampleTimer({ id: word as TimerId })), word)))
    assert.equal(wordsOf(await owned.store.readEvents({ shard: SHARD, after: 0, limit: 2_000 })), expected.join(' '))
  })
}

export function told(put: Put, ...words_: readonly string[]): Change {
  return { ...put, events: words_.map((word) => eventOf(put.after, word)) }
}

function numbersOf(events: readonly OutboxEvent[]): number[] {
  return events.map(({ number }) => number)
}

/** A put without events between others, and two more commits. */
async function withFiveEvents(
  setup: Setup,
  t: Parameters<Setup>[0],
): Promise<Pick<Owned, 'store' | 'epoch'> & { first: Timer }> {
  const { store, epoch, ...owned } = await setup(t).then((one) => ({
    store: one.store,
    epoch: one.epoch,
    put: one.put.bind(one),
  }))
  const first = sampleTimer({ id: 'a' as TimerId })
  const second = { ...first, version: 2 }
  await owned.put(
    told(absent(first), '1'),
    absent(sampleTimer({ id: 'silent' as TimerId })),
    told(absent(sampleTimer({ id: 'b' as TimerId })), '2', '3'),
  )
  await owned.put(told(changed(second, first), '4'))
  await owned.put(told(changed({ ...second, version: 3 }, second), '5'))
  return { store, epoch, first }
}
