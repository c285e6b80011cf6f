import assert from 'node:assert/strict'
import { once } from 'node:events'
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { test } from 'node:test'
import { endsWithTest } from '../../test/support/child-processes.ts'
import { ProcessLife } from './process-life.ts'

/** Another process that says its name and stays. */
async function startOther(): Promise<{ readonly child: ChildProcess; readonly name: string }> {
  const child = endsWithTest(fork(new URL('./process-life.fixture.ts', import.meta.url)))
  const [name] = (await once(child, 'message')) as [string]
  return { child, name }
}

const onLinux = { skip: process.platform === 'linux' ? false : 'only Linux has abstract sockets' }

test('a process that was killed has ended, and one that is suspended has not', onLinux, async () => {
  const life = await ProcessLife.begin('self')
  const { child, name } = await startOther()
  assert.equal(await life.hasEnded(name), false)
  child.kill('SIGSTOP')
  assert.equal(await life.hasEnded(name), false)
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  assert.equal(await life.hasEnded(name), true)
})

test('of a process in another place, or of one that does not say where it is, nothing is known', async () => {
  const life = await ProcessLife.begin('self')
  for (const name of ['host:1:abc', 'host:1:abc@0123456789ab', '']) assert.equal(await life.hasEnded(name), false)
})

test('a life can end before its process does', onLinux, async () => {
  const [one, two] = [await ProcessLife.begin('one'), await ProcessLife.begin('two')]
  assert.equal(await two.hasEnded(one.name), false)
  one.end()
  assert.equal(await two.hasEnded(one.name), true)
})
