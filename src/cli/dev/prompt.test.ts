import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { systemClock } from '../../runtime/clock/clock.ts'
import { VirtualClock } from '../../runtime/clock/virtual-clock.ts'
import { DevClock } from './dev-clock.ts'
import { Prompt } from './prompt.ts'
import type { ListedTimer } from './prompt.ts'

const DUE = '2026-01-02T00:00:00.000Z'

function setup(timers: readonly ListedTimer[] = []) {
  const input = new PassThrough()
  const output = new PassThrough({ encoding: 'utf8' })
  const clock = new DevClock(new VirtualClock({ runs: false, startAt: Date.UTC(2026, 0, 1) }))
  const quit = Promise.withResolvers<void>()
  const list = async (namespace: string) => timers.filter(() => namespace === 'default')
  const paint = (_: unknown, text: string) => text
  const prompt = new Prompt({ input, output, paint, clock, watch: systemClock, list, onQuit: () => quit.resolve() })
  let shown = ''
  output.on('data', (text: string) => (shown += text))
  /** What is shown until the prompt is there again. */
  const say = async (line: string): Promise<string> => {
    shown = ''
    input.write(`${line}\n`)
    while (!shown.endsWith('duetime> ')) await once(output, 'data')
    return shown.replace(/duetime> $/, '')
  }
  return { prompt, input, clock, quit, say }
}

test('what is not understood is answered with what would be, and nothing moves', async () => {
  const { say, clock } = setup()
  const before = clock.now()
  assert.match(await say('fly'), /There is no command fly.\n {2}advance 3d/)
  assert.match(await say('advance'), /By how much\?/)
  assert.match(await say('advance three days'), /"three days" is not a length of time: write 90s/)
  assert.match(await say('advance 2020-01-01T00:00:00Z'), /does not go back/)
  assert.equal(clock.now(), before)
})

test('the clock is moved by lengths of time and to instants, and says where it is', async () => {
  const { say } = setup()
  assert.match(await say('advance 3d'), /^It is 2026-01-04T00:00:00.000Z.* Nothing was due on the way\.\n$/)
  assert.match(await say('a 1h30m'), /^It is 2026-01-04T01:30:00/)
  assert.match(await say('advance 2026-02-01T00:00:00Z'), /^It is 2026-02-01T00:00:00/)
  assert.match(await say('now'), /^It is 2026-02-01T00:00:00/)
})

test('timers are listed with their time from now', async () => {
  const { say } = setup([{ id: 'hello', status: 'pending', executeAt: DUE, schedule: 'P1D' }])
  assert.match(await say('list'), /hello {2}pending {2}2026-01-02T00:00:00.000Z {2}in 1d {2}P1D/)
  assert.equal(await say('list nowhere'), 'No timers in namespace nowhere.\n')
})

test('quit, and an end of the input, end it; being closed from outside is not asked for twice', async () => {
  for (const line of ['quit\n', null]) {
    const session = setup()
    if (line === null) session.input.end()
    else session.input.write(line)
    await session.quit.promise
  }
  const { prompt, quit } = setup()
  prompt.close()
  const aMoment = new Promise((resolve) => setImmediate(resolve, 'not asked'))
  assert.equal(await Promise.race([quit.promise.then(() => 'asked'), aMoment]), 'not asked')
})
