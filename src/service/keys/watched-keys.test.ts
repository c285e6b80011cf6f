import assert from 'node:assert/strict'
import { renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { cleanUp } from '../../../test/support/cleanup.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { createLogger } from '../../runtime/telemetry/logger.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { createKey, hashKey } from './api-key.ts'
import { KeyRing } from './key-ring.ts'
import { WatchedKeys } from './watched-keys.ts'

const [OLD, NEW] = [createKey(), createKey()]

function fileWith(...keys: readonly string[]): string {
  return JSON.stringify(
    keys.map((key, index) => ({ name: `k${index}`, hash: hashKey(key), permissions: ['timer'], namespaces: ['*'] })),
  )
}

async function setup(t: TestContext, content: string | null = fileWith(OLD)) {
  const dir = tempDir(t)
  const path = join(dir, 'keys.json')
  if (content !== null) writeFileSync(path, content)
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  const logger = createLogger({ logLevel: 'info', logFormat: 'json', destination })
  const [ring, clock] = [new KeyRing(), new ManualClock()]
  const watched = new WatchedKeys({ path, ring, clock, logger })
  cleanUp(t, () => watched.stop())
  /** Reading is real, so time goes on until it has had its effect. */
  const eventually = async (what: () => boolean) => {
    for (let turn = 0; turn < 2_000 && !what(); turn++) await clock.advance(100)
    assert.ok(what())
  }
  const levels = () => lines.map(({ level }) => level)
  return { dir, path, ring, clock, watched, lines, levels, eventually, knows: (key: string) => ring.find(key) !== null }
}

test('a file that is missing, or wrong, stops the start', async (t) => {
  for (const content of [null, '[', '[{}]']) {
    const { watched, ring } = await setup(t, content)
    await assert.rejects(watched.load(), { name: 'KeysFileError', message: /keys\.json cannot be used/ })
    assert.equal(ring.size, 0)
  }
})

test('a broken file changes nothing and is complained about once; the repaired one counts', async (t) => {
  const { watched, path, knows, lines, levels, eventually, clock } = await setup(t)
  await watched.load()
  watched.start()
  writeFileSync(path, fileWith(NEW).slice(0, -3))
  await eventually(() => levels().includes('error'))
  for (let turn = 0; turn < 50; turn++) await clock.advance(100)
  assert.equal(levels().filter((level) => level === 'error').length, 1)
  assert.match(String(lines.find(({ level }) => level === 'error')!['problem']), /not JSON/)
  assert.deepEqual([knows(OLD), knows(NEW)], [true, false])
  writeFileSync(path, fileWith(NEW))
  await eventually(() => knows(NEW))
  assert.equal(knows(OLD), false)
})

test('a file that is gone leaves the keys as they are, and one put in its place counts', async (t) => {
  const { watched, path, dir, knows, levels, eventually } = await setup(t)
  await watched.load()
  watched.start()
  rmSync(path)
  await eventually(() => levels().includes('error'))
  assert.ok(knows(OLD))
  writeFileSync(join(dir, 'next.json'), fileWith(NEW))
  renameSync(join(dir, 'next.json'), path)
  await eventually(() => knows(NEW) && !knows(OLD))
})

test('a file behind a link that is turned to another one counts, as mounted secrets do it', async (t) => {
  const { watched, path, dir, knows, eventually } = await setup(t, null)
  writeFileSync(join(dir, 'a'), fileWith(OLD))
  writeFileSync(join(dir, 'b'), fileWith(NEW))
  symlinkSync('a', path)
  await watched.load()
  watched.start()
  symlinkSync('b', join(dir, 'link'))
  renameSync(join(dir, 'link'), path)
  await eventually(() => knows(NEW) && !knows(OLD))
})

test('two changes that the file system’s clock cannot tell apart are both seen', async (t) => {
  const { watched, path, knows, eventually } = await setup(t)
  utimesSync(path, 1_000, 1_000)
  const { ino, size, mtimeNs } = statSync(path, { bigint: true })
  await watched.load()
  writeFileSync(path, fileWith(NEW))
  utimesSync(path, 1_000, 1_000)
  const after = statSync(path, { bigint: true })
  assert.deepEqual([after.ino, after.size, after.mtimeNs], [ino, size, mtimeNs])
  watched.start()
  await eventually(() => knows(NEW))
})

test('on demand the file is read at once, whatever its time says', async (t) => {
  const { watched, path, knows } = await setup(t)
  await watched.load()
  writeFileSync(path, fileWith(OLD, NEW))
  await watched.reload()
  assert.deepEqual([knows(OLD), knows(NEW)], [true, true])
})

test('a file without keys is said to let nobody in', async (t) => {
  const { watched, levels } = await setup(t, '[]')
  await watched.load()
  assert.deepEqual(levels(), ['warn'])
})

test('stopped, it leaves nothing waiting', async (t) => {
  const { watched, clock } = await setup(t)
  await watched.load()
  watched.start()
  await watched.stop()
  assert.equal(clock.waiting, 0)
})
