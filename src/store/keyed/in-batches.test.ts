// Slices are asked of a database that is a sorted list here, and refuses a question which meets too many removed keys.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimerUuid } from '../../core/timer/timer.ts'
import { NEVER } from '../../core/timer/timer.ts'
import { hash128 } from '../../core/timer/ids.ts'
import { readInSlices } from './in-batches.ts'
import { AFTER_ALL, digits, dueRange, eventsAfter, eventSort } from './sort-keys.ts'
import type { Range } from './sort-keys.ts'

const NOW = Date.UTC(2030, 0, 1)
const REMOVED_MAX = 100
/** To find the beginning of a stretch of removed keys, the right size of slices, and the way from there to the end of all time. */
const QUESTIONS_MORE = 80

type Key = { readonly sort: string; readonly isRemoved: boolean }

const placeAt = (wakeAt: number, uuid: string): string => `2/${digits(wakeAt)}/${uuid}`
const live = (...sorts: readonly string[]): Key[] => sorts.map((sort) => ({ sort, isRemoved: false }))
const removed = (count: number, sortOf: (n: number) => string): Key[] =>
  Array.from({ length: count }, (_, n) => ({ sort: sortOf(n), isRemoved: true }))

class Walked {
  questions = 0
  readonly #keys: readonly Key[]

  constructor(...keys: readonly Key[]) {
    this.#keys = keys.toSorted((a, b) => (a.sort < b.sort ? -1 : 1))
  }

  async rows({ from, to }: Range, limit: number): Promise<string[] | null> {
    this.questions++
    assert.ok(from <= to)
    const found: string[] = []
    let met = 0
    for (const { sort, isRemoved } of this.#keys) {
      if (sort < from || sort > to) continue
      if (isRemoved && ++met > REMOVED_MAX) return null
      if (!isRemoved && found.push(sort) === limit) break
    }
    return found
  }

  /** As if nothing were ever refused. */
  expected({ from, to }: Range, limit: number): string[] {
    const inside = this.#keys.filter(({ sort, isRemoved }) => !isRemoved && sort >= from && sort <= to)
    return inside.map(({ sort }) => sort).slice(0, limit)
  }

  async check(range: Range, limits: readonly number[] = [1, 2, 3, 500, Infinity]): Promise<void> {
    for (const limit of limits) {
      this.questions = 0
      const found = await readInSlices(range, limit, (slice, size) => this.rows(slice, size))
      assert.deepEqual(found, this.expected(range, limit))
      const most = 4 * Math.ceil(this.#keys.length / REMOVED_MAX) + QUESTIONS_MORE
      assert.ok(this.questions <= most, `${this.questions} questions, and ${most} are the most`)
    }
  }
}

const ALL = dueRange(false, null, NEVER)

test('what is not refused is one question', async () => {
  const walked = new Walked(...live(placeAt(NOW, hash128('a')), placeAt(NOW, hash128('b'))))
  await walked.check(ALL)
  assert.equal(walked.questions, 1)
})

test('rows behind many removed ones are found in order, with few questions, also at the end of all time', async () => {
  const ends = live(placeAt(NOW, hash128('front')), placeAt(NEVER, hash128('paused')))
  const middle = live(placeAt(NOW + 7_000, hash128('middle')), placeAt(NOW + 86_400_000, hash128('back')))
  const gone = removed(5_000, (n) => placeAt(NOW + 1 + Math.floor(n * 7.3), hash128(`${n}`)))
  const walked = new Walked(...ends, ...middle, ...gone)
  await walked.check(ALL)
  await walked.check(dueRange(false, { wakeAt: NOW, uuid: hash128('front') as TimerUuid }, NOW + 10_000))
  await walked.check(dueRange(false, { wakeAt: NOW + 7_000, uuid: hash128('middle') as TimerUuid }, NEVER))
  await walked.check({ from: '2/', to: `2/${AFTER_ALL}` })
})

test('many that were removed from one millisecond are read by uuid, also where the uuids begin alike', async () => {
  const alike = (n: number) => placeAt(NOW, `0123456789ab${hash128(`${n}`).slice(12)}`)
  const walked = new Walked(...live(alike(-1), alike(-2), placeAt(NOW + 1, hash128('next'))), ...removed(3_000, alike))
  await walked.check(ALL)
  await walked.check(dueRange(false, null, NOW))
})

test('long stretches of removed rows far from each other are found one after the other', async () => {
  const stretches = Array.from({ length: 8 }, (_, stretch) => {
    const at = NOW + stretch * 30 * 86_400_000
    return [
      ...live(placeAt(at, hash128(`${stretch}`))),
      ...removed(500, (n) => placeAt(at + n, hash128(`${stretch} ${n}`))),
    ]
  })
  const walked = new Walked(...stretches.flat())
  walked.questions = 0
  const found = await readInSlices(ALL, 500, (slice, size) => walked.rows(slice, size))
  assert.deepEqual(found, walked.expected(ALL, 500))
  assert.ok(walked.questions <= 8 * QUESTIONS_MORE, `${walked.questions} questions`)
})

test('events are read by their numbers', async () => {
  const walked = new Walked(
    ...live(eventSort(9_000_000), eventSort(9_000_001)),
    ...removed(4_000, (n) => eventSort(n * 1_000)),
  )
  await walked.check(eventsAfter(0))
  await walked.check(eventsAfter(3_000_000))
})

test('what is refused however little is asked ends after a few questions', async () => {
  let questions = 0
  const refuse = async (): Promise<null> => {
    questions++
    return null
  }
  assert.equal(await readInSlices(ALL, 500, refuse), null)
  assert.equal(
    await readInSlices(dueRange(false, { wakeAt: NOW, uuid: hash128('a') as TimerUuid }, NOW), 1, refuse),
    null,
  )
  assert.ok(questions <= 30, `${questions} questions`)
})

test('an error is passed on at once', async () => {
  let questions = 0
  const fail = async (): Promise<never> => {
    questions++
    throw new Error('no quorum')
  }
  await assert.rejects(readInSlices(ALL, 500, fail), /no quorum/)
  assert.equal(questions, 1)
})
