// A disk that fills up under the running service, and is freed again: nothing is acknowledged that is not stored,
// timers that are in memory go on firing, and afterwards everything works again without a restart.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { cleanUp } from './support/cleanup.ts'
import { accepted, Client } from './support/client.ts'
import type { Answer, TimerJson } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { startReceiver } from './support/receiver.ts'
import { startService } from './support/service.ts'
import type { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const DISK_MIB = 8
const WATCHED_TIMERS = 20
const WATCHED_LEAD_MS = 4_000 // the disk is full long before
const BULKY = 'x'.repeat(100_000)

test('a full disk refuses writes, keeps firing, and is forgotten once there is space', async (t) => {
  const disk = mountSmallDisk(t)
  if (disk === null) return
  const receiver = await startReceiver(t)
  const service = await startService(t, { cwd: disk, env: { TIMER_DB_PATH: join(disk, 'timers.db') } })
  const client = new Client(() => service)
  const dueAt = new Date(Date.now() + WATCHED_LEAD_MS).toISOString()
  const watched = Array.from({ length: WATCHED_TIMERS }, (_, n) => `watched-${n}`)
  for (const id of watched) await accepted(client.create({ id, executeAt: dueAt, callbackUrl: receiver.url }))

  const free = fill(disk)
  const { stored, refused } = await createUntilRefused(client)
  assert.equal(refused.answer.status, 503)
  assert.match(refused.answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.equal(refused.answer.body.error, 'UNAVAILABLE')
  assert.match(refused.answer.body.message, /full/)
  assert.match(await readiness(service, 503), /full/)
  assert.equal((await client.get({ timerId: 'watched-0' })).type, 'ok', 'reading needs no space')

  for (const id of watched) await receiver.received(id)
  free()
  await readiness(service, 200)
  await eventually('a create is accepted again', async () => (await client.create(bulky('afterwards'))).type === 'ok')
  for (const timerId of watched) {
    await eventually(
      `${timerId} completes`,
      async () => (await accepted(client.get({ timerId }))).status === 'completed',
    )
    assert.equal(
      receiver.of(timerId).length,
      1,
      'an outcome that could not be stored at first must not be delivered again',
    )
  }
  await assertStored(client, [...stored, 'afterwards'], refused.id)
  assert.deepEqual(await service.stop(), { code: 0, signal: null })

  const restarted = await startService(t, { cwd: disk, env: { TIMER_DB_PATH: join(disk, 'timers.db') } })
  await assertStored(new Client(() => restarted), [...stored, 'afterwards'], refused.id)
})

async function assertStored(client: Client, ids: readonly string[], refusedId: string): Promise<void> {
  for (const timerId of ids) assert.equal((await accepted(client.get({ timerId }))).status, 'pending')
  const absent = await client.get({ timerId: refusedId })
  assert.equal(absent.type === 'refused' && absent.status, 404, 'a refused create must not come true')
}

function bulky(id: string) {
  return { id, schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/', payload: BULKY }
}

type Refused = Extract<Answer<TimerJson>, { type: 'refused' }>

async function createUntilRefused(
  client: Client,
): Promise<{ stored: string[]; refused: { id: string; answer: Refused } }> {
  const stored: string[] = []
  for (let n = 0; n < DISK_MIB * 20; n++) {
    const id = `bulky-${n}`
    const answer = await client.create(bulky(id))
    if (answer.type === 'refused') return { stored, refused: { id, answer } }
    assert.equal(answer.type, 'ok')
    stored.push(id)
  }
  throw new Error(`${stored.length} large timers were accepted on a full disk of ${DISK_MIB} MiB`)
}

/** What /readyz says once it answers with this status. */
function readiness(service: Service, status: number): Promise<string> {
  return eventually(`/readyz answers ${status}`, async () => {
    const response = await fetch(`${service.url}/readyz`)
    return response.status === status && (await response.text())
  })
}

/** Takes all space that is left; returns what gives it back. */
function fill(disk: string): () => void {
  const path = join(disk, 'filler')
  const file = openSync(path, 'w')
  const block = Buffer.alloc(4_096, 1)
  try {
    while (writeSync(file, block) === block.length) {}
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  } finally {
    closeSync(file)
  }
  return () => rmSync(path)
}

/** A file system of its own, in memory. Null, and the test is skipped, where this user may not mount one. */
function mountSmallDisk(t: TestContext): string | null {
  const disk = join(tempDir(t), 'disk')
  mkdirSync(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk], { stdio: 'pipe' })
  } catch (error) {
    t.skip(
      `needs a small file system to fill, and this user may not mount one: ${error instanceof Error ? error.message.trim() : String(error)}`,
    )
    return null
  }
  cleanUp(t, () => execFileSync('umount', [disk]))
  return disk
}
