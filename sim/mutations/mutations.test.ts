import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findMutation } from './run.ts'
import { MUTATIONS } from './table.ts'

const ROOT = join(import.meta.dirname, '..', '..')

test('every piece that a mutation replaces is in the source, once', () => {
  for (const { name, changes } of MUTATIONS) {
    for (const { file, from } of changes) {
      const pieces = readFileSync(join(ROOT, file), 'utf8').split(from).length - 1
      assert.equal(pieces, 1, `'${name}' replaces a piece of ${file} that is there ${pieces} times: ${from}`)
    }
  }
})

test('there are mutations of every promise, and each has a name of its own', () => {
  assert.equal(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length)
  assert.ok(MUTATIONS.length >= 30)
  for (const promise of ['durable', 'early', 'lost', 'once', 'final', 'bounded', 'fair', 'linear', 'live'])
    assert.ok(
      MUTATIONS.some((mutation) => mutation.promise === promise),
      promise,
    )
})

test('a deliberate bug is found', async () => {
  const mutation = MUTATIONS.find(({ name }) => name === 'timers fire up to 30 ms early')!
  const { seedsNeeded, found } = await findMutation(mutation, 1, 10)
  assert.notEqual(seedsNeeded, null)
  assert.match(found!, /early/)
})
