import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Removals } from './removals.ts'

function setup() {
  const failures = { count: 0 }
  const calls: { numbers: readonly number[]; end: PromiseWithResolvers<void> }[] = []
  const removals = new Removals(
    (numbers) => {
      const end = Promise.withResolvers<void>()
      calls.push({ numbers, end })
      return end.promise
    },
    () => void failures.count++,
  )
  return { removals, calls, failures }
}

test('a failure is told once, and what was waiting behind it is left in the store', async () => {
  const { removals, calls } = setup()
  await removals.add([1])
  await removals.add([2])
  const settled = removals.settled()
  calls[0]!.end.reject(new Error('no'))
  await assert.rejects(settled, /^Error: no$/)
  await removals.settled()
  assert.equal(calls.length, 1)
  await removals.add([3])
  assert.deepEqual(calls[1]!.numbers, [3])
})

test('a failure that nobody waited for is told with the next one', async () => {
  const { removals, calls, failures } = setup()
  await removals.add([1])
  calls[0]!.end.reject(new Error('no'))
  await new Promise(setImmediate)
  assert.equal(failures.count, 1)
  await assert.rejects(removals.add([2]), /^Error: no$/)
})

test('nobody waits for a removal, and what comes meanwhile goes together', async () => {
  const { removals, calls } = setup()
  for (const numbers of [[1], [2, 3], [], [4]]) await removals.add(numbers)
  assert.deepEqual(
    calls.map(({ numbers }) => numbers),
    [[1]],
  )
  calls[0]!.end.resolve()
  await new Promise(setImmediate)
  assert.deepEqual(
    calls.map(({ numbers }) => numbers),
    [[1], [2, 3, 4]],
  )
  calls[1]!.end.resolve()
  await removals.settled()
})

test('too many of them wait for the store', async () => {
  const { removals, calls } = setup()
  await removals.add([1])
  let isThrough = false
  const added = removals.add(Array.from({ length: 30_000 }, (_, n) => n)).then(() => (isThrough = true))
  await new Promise(setImmediate)
  assert.equal(isThrough, false)
  calls[0]!.end.resolve()
  await new Promise(setImmediate)
  calls[1]!.end.resolve()
  await added
})
