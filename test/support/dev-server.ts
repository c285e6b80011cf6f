// `duetime dev` as a process of its own, moved over HTTP as the tests of somebody's program would.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { COMPILE_CACHE, endsWithTest } from './child-processes.ts'
import { cleanUp } from './cleanup.ts'
import { tempDir } from './temp-dir.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts')

export type Json = Readonly<Record<string, unknown>>
export type Dev = {
  readonly child: ChildProcess
  readonly url: string
  readonly sink: string
  readonly output: () => string
  readonly post: (path: string, body: Json) => Promise<Json>
}

export async function startDev(t: TestContext, flags: readonly string[] = []): Promise<Dev> {
  // An API key in the environment is for the service; here it would only be in the way.
  const env = { ...COMPILE_CACHE, API_KEY: 'a'.repeat(40), PORT: '1' }
  const args = [MAIN, 'dev', '--port', '0', '--sink-port', '0', ...flags]
  const child = endsWithTest(
    spawn(process.execPath, args, { cwd: tempDir(t), env, stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  cleanUp(t, () => child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  await untilShown(child, () => output.includes('Then move the clock'))
  const url = /for development: (\S+)/.exec(output)![1]!
  const post = async (path: string, body: Json): Promise<Json> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as Json
  }
  return { child, url, sink: /Callbacks to (\S+)/.exec(output)![1]!, output: () => output, post }
}

/** A process that ended shows nothing any more. */
export async function untilShown(child: ChildProcess, isShown: () => boolean): Promise<void> {
  const ended = once(child, 'exit').then(([code]) => assert.fail(`duetime dev ended with code ${code}`))
  ended.catch(() => {})
  while (!isShown()) await Promise.race([once(child.stdout!, 'data'), ended])
}
