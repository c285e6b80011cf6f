// Promise 8 between tenants: whatever the holder of one key does, with any number of namespaces, targets and receivers
// that never answer, the timers of another key start on the dot.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permission } from '../../src/core/access/access.ts'
import type { NamespacePattern, Principal } from '../../src/core/access/access.ts'
import { parseSchedule } from '../../src/core/time/schedule.ts'
import type { Timers } from '../../src/service/timers.ts'
import { createCommand, OK, TestNode } from './node-fixture.ts'
import type { NodeOptions } from './node-fixture.ts'

const HOUR = 3_600_000
const NEVER_ANSWERED = new Promise<never>(() => {})

function keyFor(name: string): Principal {
  return {
    name,
    permissions: new Set([Permission.timer]),
    namespaces: [`${name}.*` as NamespacePattern],
    rateLimit: null,
  }
}

/** So many timers due at once, each in a namespace and for a host of its own. */
async function hang(timers: Timers, tenant: string, { count, dueAt }: { count: number; dueAt: number }): Promise<void> {
  const commands = Array.from({ length: count }, (_, n) =>
    createCommand(`h${n}`, new Date(dueAt).toISOString(), {
      namespace: `${tenant}.${n}`,
      host: `${tenant}-${n}.hangs`,
      timeoutMs: HOUR,
    }),
  )
  for (let from = 0; from < count; from += 1_000) await timers.executeMany(commands.slice(from, from + 1_000))
}

async function setup(options: NodeOptions = {}) {
  const node = await TestNode.start(options)
  node.receiver.answer = ({ timer }) =>
    timer.target.type === 'http' && timer.target.url.includes('.hangs') ? NEVER_ANSWERED : OK
  /** A hundred timers, one every 100 ms, from a second from now on. */
  const createSmall = async (host: (n: number) => string): Promise<void> => {
    const small = node.as(keyFor('small'))
    const from = node.clock.now() + 1_000
    for (let n = 0; n < 100; n++) {
      await small.execute(
        createCommand(`s${n}`, new Date(from + n * 100).toISOString(), { namespace: 'small.a', host: host(n) }),
      )
    }
  }
  const latenessOfSmall = (): number[] =>
    node.receiver.arrivals.flatMap(({ at, firing: { timer } }) =>
      timer.namespace === 'small.a' ? [at - timer.dueAt] : [],
    )
  return { node, createSmall, latenessOfSmall }
}

const ALL_ON_TIME = Array.from({ length: 100 }, () => 0)

test('a key with 5,000 namespaces and hosts that never answer does not make the timers of another key late', async () => {
  const { node, createSmall, latenessOfSmall } = await setup()
  await hang(node.as(keyFor('acme')), 'acme', { count: 5_000, dueAt: node.clock.now() + 500 })
  await createSmall((n) => `small-${n}`)
  await node.clock.advance(15_000)
  assert.deepEqual(latenessOfSmall(), ALL_ON_TIME)
})

test('nor does one with five times as many as memory holds, before the other creates its own, and after', async () => {
  const { node, createSmall, latenessOfSmall } = await setup({
    window: { timersMax: 1_000, bytesMax: 2 ** 24, pageSize: 100 },
  })
  const greedy = node.as(keyFor('acme'))
  await hang(greedy, 'acme', { count: 5_000, dueAt: node.clock.now() + 500 })
  await node.clock.advance(1_000)
  await createSmall((n) => `small-${n}`)
  await hang(greedy, 'acme.more', { count: 2_000, dueAt: node.clock.now() + 2_000 })
  await node.clock.advance(15_000)
  assert.deepEqual(latenessOfSmall(), ALL_ON_TIME)
  assert.ok(node.engine.gauges().windowTimers <= 1_000 + 1_024)
})

test('nor do ten such keys, nor one that calls the very hosts of the other', async () => {
  const { node, createSmall, latenessOfSmall } = await setup()
  const dueAt = node.clock.now() + 500
  for (let key = 0; key < 10; key++) await hang(node.as(keyFor(`k${key}`)), `k${key}`, { count: 1_000, dueAt })
  const copycat = node.as(keyFor('copycat'))
  for (let n = 0; n < 300; n++) {
    await copycat.execute(
      createCommand(`c${n}`, new Date(dueAt).toISOString(), {
        namespace: 'copycat.a',
        host: 'shared/.hangs',
        timeoutMs: HOUR,
      }),
    )
  }
  await createSmall(() => 'shared')
  await node.clock.advance(15_000)
  assert.deepEqual(latenessOfSmall(), ALL_ON_TIME)
})

test('nor does what comes without keys, in 5,000 namespaces', async () => {
  const { node, createSmall, latenessOfSmall } = await setup()
  await hang(node.service, 'anyone', { count: 5_000, dueAt: node.clock.now() + 500 })
  await createSmall((n) => `small-${n}`)
  await node.clock.advance(15_000)
  assert.deepEqual(latenessOfSmall(), ALL_ON_TIME)
})

test('a timer counts for the key that gave it its schedule or target last, and its restart keeps that', async () => {
  const { node } = await setup()
  const [first, second] = ['first', 'second'].map((name) =>
    node.as({ ...keyFor(name), namespaces: ['default' as NamespacePattern] }),
  )
  const { timer } = await first!.execute(createCommand('a', 'PT1H'))
  const { namespace, id, uuid } = timer
  const update = { type: 'update', namespace, id, uuid, ifVersion: null, minLeadMs: 0 } as const
  const tenants = [timer.tenant]
  tenants.push((await second!.execute({ ...update, changes: { timeoutMs: 5_000 } })).timer.tenant)
  tenants.push((await second!.execute({ ...update, changes: { schedule: parseSchedule('PT2H') } })).timer.tenant)
  const next = await node.restart()
  tenants.push((await next.get('a')).tenant)
  tenants.push((await next.create('a', 'PT1H')).tenant)
  assert.deepEqual(tenants, ['first', 'first', 'second', 'second', null])
})
