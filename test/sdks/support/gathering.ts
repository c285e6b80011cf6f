// What gathering must do, for SDKs whose programs call from many threads: the test of each language has a program with these modes,
// which prints what its calls returned, in their order. A timer is `[id, version, payload]`, an error its code, a cancel `ok`.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { startFaultyProxy } from './faulty-proxy.ts'
import type { FaultyProxy } from './faulty-proxy.ts'
import type { Json } from './patterns.ts'
import { RestartedService } from './restarted-service.ts'
import type { Skip } from './tools.ts'

/**
 * - `creates` makes t0 to t499, all at once, and `off` t0 to t19 with a client that does not gather.
 * - `mixed` makes a and b. Then it updates a to 1, updates a timer that is not there, creates one with a payload that is nested too deeply,
 *   cancels b, and creates t0 to t59, all at once; 300 ms later it cancels b again.
 * - `order` makes t0, updates it to 1, and 300 ms later, whatever came of that, to 2.
 * - `canceled` creates `left` and t0 to t59, all at once, with 2 s for an attempt, and cancels the first call after 500 ms.
 */
export type GatheringMode = 'creates' | 'mixed' | 'order' | 'canceled' | 'off'
type Program = (url: string, mode: GatheringMode) => Promise<string>
type Say = (mode: GatheringMode) => Promise<readonly Json[]>

const WITHIN_MS = 120_000
const NOT_NOW = {
  answer: {
    status: 503,
    headers: { 'retry-after': '1' },
    body: { error: 'UNAVAILABLE', message: 'not now', details: {} },
  },
}

function made(count: number): readonly Json[] {
  return Array.from({ length: count }, (_, n) => [`t${n}`, 1, { n }])
}

/** `build` makes the program; once for all tests. */
export function gathering(build: (t: TestContext) => Promise<Program>, { skip }: Skip): void {
  let program: Program
  before(async (t) => {
    if (skip === false) program = await build(t as TestContext)
  })

  const each = (name: string, run: (proxy: FaultyProxy, say: Say) => Promise<void>): void =>
    void test(name, { skip, timeout: WITHIN_MS }, async (t) => {
      const service = new RestartedService(t)
      await service.listening
      const proxy = await startFaultyProxy(t, service)
      await run(proxy, async (mode) => JSON.parse(await program(proxy.url, mode)) as readonly Json[])
    })

  each('calls at the same time share requests, and each has its own answer', async (proxy, say) => {
    assert.deepEqual(await say('creates'), made(500))
    assertFewer(proxy.takeRequests(), 100)
  })

  each('lost answers of shared requests make no second timer, and no conflict', async (proxy, say) => {
    // The first two requests may have one create each; those after them have many.
    proxy.faults = ['lose answer', 'lose answer', 'lose answer', 'lose answer']
    assert.deepEqual(await say('creates'), made(500))
    assert.equal(proxy.pendingFaults, 0)
    assertFewer(proxy.takeRequests(), 100)
  })

  each('an error is that of its call, also when a whole request is refused for it', async (proxy, say) => {
    const expected = [['a', 2, 1], 'TIMER_NOT_FOUND', 'INVALID_INPUT', 'ok', 'TIMER_NOT_PENDING']
    assert.deepEqual(await say('mixed'), [...expected, ...made(60)])
    assertFewer(proxy.takeRequests(), 50)
  })

  each('a call on a timer waits for the one before, with all its attempts', async (proxy, say) => {
    proxy.faults = ['pass', NOT_NOW]
    assert.deepEqual(await say('order'), [
      ['t0', 2, 1],
      ['t0', 3, 2],
    ])
  })

  each('a call that is canceled ends at once, and leaves its request to the others', async (proxy, say) => {
    proxy.faults = ['hang', 'hang', 'hang']
    const [left, ...others] = await say('canceled')
    assert.match(left as string, /cancel/i)
    assert.deepEqual(others, made(60))
    const requests = proxy.takeRequests()
    assertFewer(requests, 30)
    assert.equal(requests.filter(({ body }) => JSON.stringify(body).includes('"left"')).length, 1)
  })

  each('without gathering each call is a request', async (proxy, say) => {
    assert.deepEqual(await say('off'), made(20))
    const paths = proxy.takeRequests().map(({ path }) => path)
    assert.deepEqual(paths, Array<string>(20).fill('/api/v1/timers/create'))
  })
}

function assertFewer({ length }: readonly unknown[], limit: number): void {
  assert.ok(length < limit, `${length} requests, and not fewer than ${limit}`)
}
