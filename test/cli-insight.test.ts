// Looking on by the command line: what fires, how much, who owns what.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cliFor, start } from './support/cli.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/ports.ts'
import { FAILING, OK, startReceiver } from './support/receiver.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

test('watch shows each attempt with lateness and outcome, ends with a summary on Ctrl-C, and as JSON one value a line', async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  const duetime = cliFor(service.url)
  let attempts = 0
  const receiver = await startReceiver(t, ({ timerId }) => (timerId === 'wobbly' && attempts++ === 0 ? FAILING : OK))
  const env = { DUETIME_URL: service.url }
  const asked = [['--changes'], ['-o', 'json', '--count', '2'], ['--failures', '--count', '1']]
  const [lines, json, failures] = asked.map((args) => start(t, ['watch', ...args], { env }))
  await Promise.all([lines, json, failures].map((watching) => watching!.wrote(/watching http/)))
  await duetime('create', 'in 1s', receiver.url, '--id', 'wobbly', '--retries', '1', '--retry-after', '1s')
  await lines!.wrote(/delivered 200 attempt 2/)
  const { code, out, err } = await lines!.interrupt()
  assert.equal(code, 0)
  const [created, failed, delivered] = out.split('\n')
  assert.match(created!, /^\d\d:\d\d:\d\d\.\d{3} {2}default\/wobbly +created +due \d{4}-/)
  assert.match(
    failed!,
    /^\d\d:\d\d:\d\d\.\d{3} {2}default\/wobbly +\+\d+(\.\d+)?m?s {2}retried 500 {2}in .* {2}HTTP 500 {2}next \d\d:/,
  )
  assert.match(delivered!, /delivered 200 attempt 2 {2}in /)
  assert.match(err, /2 attempts seen, 1 failed, at most .* late\.\n$/)
  const values = (await json!.ended).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    values.map(({ id, outcome, statusCode, attempt }) => [id, outcome, statusCode, attempt]),
    [
      ['wobbly', 'retried', 500, 1],
      ['wobbly', 'delivered', 200, 2],
    ],
  )
  assert.match((await failures!.ended).out, /^[^\n]*retried 500[^\n]*\n$/)
})

test('watch goes on when the server comes back', async (t) => {
  const place = { cwd: tempDir(t), env: { PORT: String(await freePort()) } }
  const first = await startService(t, place)
  const receiver = await startReceiver(t)
  const watching = start(t, ['watch', '--count', '1'], { env: { DUETIME_URL: first.url } })
  await watching.wrote(/watching http/)
  await first.stop()
  await watching.wrote(/lost http.*; trying again/)
  const second = await startService(t, place)
  await watching.wrote(/trying again\nwatching http/)
  await cliFor(second.url)('create', 'in 1s', receiver.url, '--id', 'after-the-restart')
  const { code, out } = await watching.ended
  assert.equal(code, 0)
  assert.match(out, /default\/after-the-restart .*delivered 200/)
})

test('stats count timers, tell what happened and how late, and draw what comes', async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  const duetime = cliFor(service.url)
  const receiver = await startReceiver(t)
  assert.match(
    (await duetime('stats')).out,
    /nothing fired in the last hour[^]*Nothing comes due in the next 12 minutes/,
  )
  await duetime('create', 'in 1s', receiver.url, '--id', 'a')
  await receiver.received('a')
  await Promise.all(
    [3, 3, 3, 5].map((minutes, n) =>
      duetime('create', `in ${minutes}m`, receiver.url, '-n', n === 0 ? 'orders' : 'default'),
    ),
  )
  // Counts are asked of the store every two seconds at most.
  const { out, code } = await eventually('the timers are counted', async () => {
    const answer = await duetime('stats')
    return /^all +4 /m.test(answer.out) && answer
  })
  assert.equal(code, 0)
  assert.match(out, /^Duetime \S+ on sqlite, node /)
  assert.match(out, /^TIMERS +PENDING +EXECUTING[^]*^all +4 [^]*^default +3 [^]*^orders +1 /m)
  assert.match(out, /^IN THE LAST +CREATED[^]*^minute +5 +0 +1 +1 +0 +0$/m)
  assert.match(out, /^Lateness in the last hour: half within \S+, 90% within/m)
  assert.match(out, /^Due in each minute to come:$/m)
  const bars = out.split('\n').flatMap((line) => /^ +\d\d:\d\d +(\d+) {2}(█+)/.exec(line)?.slice(1) ?? [])
  assert.ok(
    bars.some((bar) => bar === '█'.repeat(40)),
    out,
  )
  const json = JSON.parse(
    (await duetime('stats', '-n', 'orders', '-o', 'json', '--step', 'hour', '--steps', '2')).out,
  ) as {
    overview: { counts: unknown }
    forecast: { steps: { count: number }[] }
  }
  assert.equal(json.forecast.steps.length, 2)
  assert.equal(
    json.forecast.steps.reduce((sum, { count }) => sum + count, 0),
    1,
  )
})

test('cluster shows the nodes and, when asked, every shard', async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  const duetime = cliFor(service.url)
  assert.match(
    (await duetime('cluster', '--shards')).out,
    /^NODE +ADDRESS +SHARDS +STATE[^]*\(answers\) .* 1 +alive[^]*^ *SHARD +OWNER[^]*^ +0 +\S+ +1 +0 +0 +0ms$/m,
  )
  const { nodes, shards } = JSON.parse((await duetime('cluster', '-o', 'json')).out) as {
    nodes: unknown[]
    shards: { shard: number; epoch: number }[]
  }
  assert.deepEqual([Array.isArray(nodes), shards.map(({ shard, epoch }) => [shard, epoch])], [true, [[0, 1]]])
})
