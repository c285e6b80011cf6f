import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NameLookups } from './name-lookups.ts'
import type { Resolve } from './name-lookups.ts'

/** Name servers of two kinds: those of `dead` names stay silent until `wake`. */
function names({ direct = () => Promise.reject(new Error('not found')) }: { readonly direct?: Resolve } = {}) {
  const asked: string[] = []
  const silent: ((addresses: readonly string[]) => void)[] = []
  const bySystem: Resolve = (hostname) => {
    asked.push(hostname)
    if (!hostname.startsWith('dead')) return Promise.resolve(['192.0.2.1'])
    return new Promise((resolve) => silent.push(resolve))
  }
  const wake = () => {
    for (const answer of silent.splice(0)) answer(['192.0.2.9'])
  }
  return { lookups: new NameLookups({ bySystem, direct }), asked, wake }
}

test('dead names of one tenant occupy half of the threads, and names that were answered before go on', async () => {
  const { lookups, asked, wake } = names()
  assert.deepEqual(await lookups.resolve('receiver.example'), ['192.0.2.1'])
  const dead = Array.from({ length: 10 }, (_, n) => lookups.resolve(`dead-${n}.example`))
  for (let round = 0; round < 3; round++) assert.deepEqual(await lookups.resolve('receiver.example'), ['192.0.2.1'])
  assert.deepEqual(
    asked.filter((name) => name.startsWith('dead')),
    ['dead-0.example', 'dead-1.example'],
  )
  for (let round = 0; round < 5; round++) {
    wake()
    await Promise.all(dead.slice(round * 2, round * 2 + 2))
  }
  assert.equal(asked.length, 14, 'each of them had its turn')
})

test('a new name beside dead ones is found without a thread', async () => {
  const { lookups, asked } = names({
    direct: (hostname) => Promise.resolve(hostname === 'new.example' ? ['192.0.2.5'] : []),
  })
  for (let n = 0; n < 5; n++) void lookups.resolve(`dead-${n}.example`)
  assert.deepEqual(await lookups.resolve('new.example'), ['192.0.2.5'])
  assert.equal(asked.includes('new.example'), false)
  assert.deepEqual(
    await lookups.resolve('new.example'),
    ['192.0.2.1'],
    'from then on the system is asked as for any other',
  )
})

test('a name that does not answer any more loses its place among those that did', async () => {
  let isDown = false
  const lookups = new NameLookups({
    bySystem: () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve(['192.0.2.1'])),
    direct: () => Promise.resolve(['192.0.2.5']),
  })
  await lookups.resolve('a.example')
  isDown = true
  await assert.rejects(lookups.resolve('a.example'), /down/)
  await assert.rejects(lookups.resolve('a.example'), /down/, 'a free thread is taken, and its word counts')
  isDown = false
  assert.deepEqual(await lookups.resolve('a.example'), ['192.0.2.1'])
})

test('connections that are opened at once share one lookup', async () => {
  const { lookups, asked } = names()
  await Promise.all([lookups.resolve('a.example'), lookups.resolve('a.example')])
  assert.deepEqual(asked, ['a.example'])
})
