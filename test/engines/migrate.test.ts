// Tables by command, on engines that have no SQL: somebody with more rights makes them, and the service only uses them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCli } from '../support/cli.ts'
import { onEngines } from './engines.ts'

onEngines('migrate', (_, server) => {
  test('`duetime migrate up` makes what the service needs, once', async () => {
    const env = { ...server().environment('by_command'), MIGRATE_AT_START: 'false' }
    const status = await runCli(['migrate', 'status'], { env })
    assert.deepEqual([status.code, /no tables of this service yet/.test(status.out)], [1, true], status.err)
    const up = await runCli(['migrate', 'up'], { env })
    assert.match(up.out, /^The tables were made\. The schema is up to date: version 1\.\n$/, up.err)
    assert.match((await runCli(['migrate', 'up'], { env })).out, /There is nothing to do/)
    assert.equal((await runCli(['migrate', 'status'], { env })).code, 0)
  })
})
