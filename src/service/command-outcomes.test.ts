import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from '../core/rules/command.ts'
import type { Executed } from '../engine/shard-commands.ts'
import { ManyOutcomes, OneOutcome } from './command-outcomes.ts'

const command = (id: string) => ({ type: 'create', id }) as Command
const result = (id: string) => ({ timer: { id }, previous: null, changed: true }) as Executed

function setup() {
  const observed: string[] = []
  const observer = {
    executed({ id }: Command) {
      if (id === 'broken') throw new Error('a broken observer')
      observed.push(id)
    },
  }
  return { observed, observer }
}

test('an observer that throws fails its own command, and no other of the batch', async () => {
  const { observed, observer } = setup()
  const alone = new OneOutcome(command('broken'), observer)
  alone.executed(0, result('broken'))
  await assert.rejects(alone.promise, /a broken observer/)

  const batch = new ManyOutcomes([command('broken'), command('b')], observer)
  batch.executed(0, result('broken'))
  batch.executed(1, result('b'))
  assert.deepEqual(
    (await batch.promise).map(({ status }) => status),
    ['rejected', 'fulfilled'],
  )
  assert.deepEqual(observed, ['b'])
})

test('a batch is over when the last of its commands is, and each outcome is at its place', async () => {
  const { observed, observer } = setup()
  const batch = new ManyOutcomes([command('a'), command('b'), command('c')], observer)
  let isOver = false
  void batch.promise.then(() => (isOver = true))
  batch.executed(2, result('c'))
  batch.refused(0, new Error('refused'))
  await Promise.resolve()
  assert.equal(isOver, false)
  batch.executed(1, result('b'))
  assert.deepEqual(await batch.promise, [
    { status: 'rejected', reason: new Error('refused') },
    { status: 'fulfilled', value: result('b') },
    { status: 'fulfilled', value: result('c') },
  ])
  assert.deepEqual(observed, ['c', 'b'])
})

test('a batch of nothing is over at once', async () => {
  assert.deepEqual(await new ManyOutcomes([], setup().observer).promise, [])
})
