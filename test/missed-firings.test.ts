// What a service does with firings that it finds too late at its start: real processes, a real broker. The timers are made an hour
// ago, by the library with a clock of that time, so that nobody has to wait for them to be late.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDuetime, testClock } from '../src/embedded/index.ts'
import { accepted, Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { LIFECYCLE_STREAM, readLifecycle } from './support/lifecycle-events.ts'
import { natsClient } from './support/nats-client.ts'
import { needsNats, startNatsServer } from './support/nats-server.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const HOUR = 3_600_000
const callback = { type: 'http', url: 'http://127.0.0.1:1/nobody' } as const

test(
  'what is later than maxLateness is not delivered, and told by the timer, an event and a metric',
  needsNats,
  async (t) => {
    const [server, cwd, now] = [await startNatsServer(t), tempDir(t), Date.now()]
    const database = join(cwd, 'timers.db')
    const duetime = await openDuetime({ database, clock: testClock(new Date(now - HOUR)) })
    const late = { maxLateness: '5m', callback }
    await duetime.create({ id: 'once', at: new Date(now - HOUR / 2), ...late })
    await duetime.create({ id: 'cycle', schedule: 'R/PT25M', ...late })
    await duetime.close()

    const env = { DATABASE_URL: `sqlite:${database}`, NATS_URL: server.url, NATS_LIFECYCLE: 'on' }
    const service = await startService(t, { cwd, env })
    const nats = await natsClient(t, server)
    await eventually('events', async () => (await nats.count(LIFECYCLE_STREAM)) >= 3)
    const told = (await readLifecycle(nats)).map(({ type, body }) => [body.subject, type, ...('missed' in body.data ? [body.data['missed']] : [])].join(' ')) // oxfmt-ignore
    assert.deepEqual(told.toSorted(), ['cycle missed 2', 'once failed', 'once missed 1'])

    const client = new Client(() => service)
    const shown = async (timerId: string) =>
      (await accepted(client.get({ timerId }))) as unknown as Record<string, unknown>
    const once = await shown('once')
    assert.deepEqual([once['status'], once['skipped'], once['attempts']], ['failed', 1, []])
    assert.match(once['lastError'] as string, /^missed: it was 30m.* late$/)
    assert.deepEqual([(await shown('cycle'))['status'], (await shown('cycle'))['skipped']], ['pending', 2])
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(metrics, /^duetime_missed_firings_total\{namespace="default"\} 3$/m)
  },
)
