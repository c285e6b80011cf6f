// Timers by the command line, from the real program to a real server and back.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { parse } from 'yaml'
import { cliFor, runCli } from './support/cli.ts'
import { eventually } from './support/eventually.ts'
import { FAILING, OK, startReceiver } from './support/receiver.ts'
import { startService } from './support/service.ts'
import type { Environment } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const HOOK = 'http://127.0.0.1:9/hook'
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
type TimerShown = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly status: string
  readonly executeAt: string
}

async function setup(t: TestContext, env: Environment = {}) {
  const cwd = tempDir(t)
  const service = await startService(t, { cwd, env })
  return { cwd, service, duetime: cliFor(service.url) }
}

test('without a server it says what was tried and how to start one, with code 6', async () => {
  const { code, err, out } = await runCli(['list', '--url', 'http://127.0.0.1:1/'])
  assert.deepEqual([code, out], [6, ''])
  assert.match(
    err,
    /Tried http:\/\/127\.0\.0\.1:1\. Start a server with `duetime serve`, or name yours with --url or DUETIME_URL/,
  )
})

test('what is not Duetime is told apart from what is not there', async (t) => {
  const receiver = await startReceiver(t, () => ({ status: 404, body: 'nothing here' }))
  const { code, err } = await runCli(['list', '--url', new URL(receiver.url).origin])
  assert.equal(code, 1)
  assert.match(err, /does not seem to be Duetime/)
})

test('without a key, or with one that may not, it is code 5 and says how to give one', async (t) => {
  const key = 'a-key-of-at-least-thirty-two-characters'
  const { service } = await setup(t, { API_KEY: key, HOST: '127.0.0.1' })
  const without = await runCli(['list'], { env: { DUETIME_URL: service.url } })
  assert.equal(without.code, 5)
  assert.match(without.err, /DUETIME_API_KEY \(or --api-key/)
  assert.equal(
    (await runCli(['list', '--api-key', key.replace('a', 'b')], { env: { DUETIME_URL: service.url } })).code,
    5,
  )
  assert.equal((await runCli(['list'], { env: { DUETIME_URL: service.url, DUETIME_API_KEY: key } })).code, 0)
})

test('what cannot be right is code 2 and says what is, before any server is asked', async () => {
  const cases: [string[], RegExp][] = [
    [['create'], /Say when it fires/],
    [['create', 'in 5m'], /Say what to call/],
    [['create', 'in 5M', HOOK], /minutes or months/],
    [['create', 'in 5m', HOOK, '--at', 'tomorrow 9:00'], /Say once when/],
    [['create', 'in 5m', HOOK, '--nats', 'x'], /Say once what/],
    [['create', 'in 5m', HOOK, '--payload', 'hello'], /not JSON[^]*'"hello"'/],
    [['create', 'in 5m', HOOK, '--header', 'x'], /name, a colon and the value/],
    [['create', 'in 5m', HOOK, '--metadata', 'x'], /key=value/],
    [['create', 'tomorrow 9:00', HOOK, '--time-zone', 'Mars/Base'], /"Mars\/Base" is not known/],
    [['list', '--status', 'done'], /"done" is none of pending/],
    [['list', '--limit', '0'], /1 or more/],
    [['list', '--output', 'xml'], /Allowed choices are table, json/],
    [['list', '--url', 'ftp://x'], /http:\/\/ or https:\/\//],
    [['update', 'x'], /Say what shall change/],
    [['cancel'], /Say which timers/],
    [['cancel', 'x', '--all'], /not both/],
    [['cretae'], /unknown command 'cretae'[^]*create/],
    [['watch', '-o', 'yaml'], /no YAML/],
  ]
  await Promise.all(
    cases.map(async ([args, says]) => {
      const { code, err } = await runCli(args, { env: { DUETIME_URL: 'http://127.0.0.1:1' } })
      assert.equal(code, 2, `${args.join(' ')}: ${err}`)
      assert.match(err, says)
      assert.doesNotMatch(err, /^ {4}at /m)
    }),
  )
})

test('a timer that is not there is 3, one that is in the way 4, and what the server refuses 2', async (t) => {
  const { duetime } = await setup(t)
  assert.equal((await duetime('create', 'in 1h', HOOK, '--id', 'a')).code, 0)
  const cases: [string[], number, RegExp][] = [
    [['get', 'nope'], 3, /No timer 'nope'[^]*another namespace/],
    [['cancel', 'nope'], 3, /No timer/],
    [['create', 'in 1h', HOOK, '--id', 'a', '--on-conflict', 'reject'], 4, /exists already/],
    [['update', 'a', 'in 2h', '--if-version', '7'], 4, /version 1, not 7[^]*duetime get/],
    [['retry', 'a'], 4, /a/],
    [['create', 'in 1h', HOOK, '--retries', '1000'], 2, /maxRetries/],
    [['create', 'in 1h', 'example.org/hook'], 2, /callbackUrl must be an absolute http or https URL/],
  ]
  for (const [args, code, says] of cases) {
    const ended = await duetime(...args)
    assert.equal(ended.code, code, `${args.join(' ')}: ${ended.err}`)
    assert.match(ended.err, says)
  }
  const some = await duetime('get', 'nope', 'a', '-o', 'json')
  assert.equal(some.code, 3)
  assert.match(some.err, /^nope: No timer/)
  assert.deepEqual(
    (JSON.parse(some.out) as TimerShown[]).map(({ id }) => id),
    ['a'],
  )
})

test('what was said when a timer was created is what it does: payload, headers and metadata arrive', async (t) => {
  const { duetime, cwd } = await setup(t)
  const receiver = await startReceiver(t)
  writeFileSync(join(cwd, 'payload.json'), '{"big":12345678901234567890,"exact":1.0}')
  const created = await duetime(
    'create',
    'in 1s',
    receiver.url,
    '--id',
    'a',
    '--payload',
    `@${join(cwd, 'payload.json')}`,
    '--header',
    'X-Token: s3cret:x',
    '--metadata',
    'team=x',
    '--metadata',
    'n:=3',
  )
  assert.equal(created.code, 0, created.err)
  const [, local, utc] = /^due +(\S+ \S+) Europe\/Berlin, (\S+) \(in \d+m?s\)$/m.exec(created.out) ?? []
  assert.match(utc!, ISO)
  assert.equal(Temporal.PlainDateTime.from(local!).toZonedDateTime('Europe/Berlin').epochMilliseconds, Date.parse(utc!))
  const { headers, rawBody } = await receiver.received('a')
  assert.equal(headers['x-token'], 's3cret:x')
  assert.match(rawBody, /\{"big":12345678901234567890,"exact":1\.0\}/)
  const found = await eventually('its outcome', async () => {
    const timer = JSON.parse((await duetime('get', 'a', '-o', 'json')).out) as TimerShown
    return timer.status === 'completed' && timer
  })
  assert.deepEqual(
    [found['metadata'], (found['callback'] as { headers: unknown }).headers],
    [{ team: 'x', n: 3 }, { 'X-Token': '***' }],
  )
  assert.match((await duetime('get', 'a', '--secrets')).out, /^header +X-Token: s3cret:x$/m)
})

test('the same answer comes as a table, as JSON, line by line and as YAML, and the id alone', async (t) => {
  const { duetime } = await setup(t)
  const id = (await duetime('create', '-q', 'every day at 9:00', HOOK)).out.trim()
  assert.match(id, /^[\da-f-]{36}$/)
  const [table, json, ndjson, yaml] = await Promise.all(
    [[], ['-o', 'json'], ['-o', 'ndjson'], ['-o', 'yaml']].map((format) => duetime('list', ...format)),
  )
  const [timer] = JSON.parse(json!.out) as [TimerShown]
  assert.deepEqual([timer.id, timer['timeZone']], [id, 'Europe/Berlin'])
  assert.match(String(timer['schedule']), /^R\/\d{4}-\d{2}-\d{2}T09:00:00\+0[12]:00\/P1D$/)
  assert.deepEqual(JSON.parse(ndjson!.out), timer)
  assert.deepEqual(parse(yaml!.out), [timer])
  assert.match(
    table!.out,
    new RegExp(`^ID +STATUS +DUE +AT +CALLS\\n${id} +pending +in \\d+[hms].*09:00:00 +${HOOK}\\n$`),
  )
  assert.ok(!table!.out.includes('\u001B'), 'no colours in a pipe')
})

test('lists are filtered, sorted and of any length, and say when there is more', async (t) => {
  const { duetime, service } = await setup(t)
  const timers = Array.from({ length: 1_100 }, (_, n) => ({
    id: `n${n}`,
    schedule: `PT${n + 60}M`,
    callbackUrl: HOOK,
    metadata: { even: n % 2 === 0 },
  }))
  for (const part of [timers.slice(0, 600), timers.slice(600)]) {
    const headers = { 'content-type': 'application/json' }
    await fetch(`${service.url}/api/v1/timers/batch`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ timers: part }),
    })
  }
  const all = await duetime('list', '--all', '-o', 'ndjson')
  assert.equal(
    new Set(
      all.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as TimerShown).id),
    ).size,
    1_100,
  )
  const first = await duetime('list', '--limit', '3')
  assert.match(first.out, /^ID[^]*\nn0 [^]*\nn1 [^]*\nn2 /)
  assert.match(first.err, /These are the first 3: --limit shows more, --all shows all/)
  const ids = async (...args: readonly string[]) =>
    (JSON.parse((await duetime('list', ...args, '-o', 'json')).out) as TimerShown[]).map(({ id }) => id)
  assert.deepEqual(await ids('--limit', '2', '--sort', 'due', '--desc'), ['n1099', 'n1098'])
  assert.deepEqual(await ids('--due-from', 'in 61m30s', '--due-before', 'in 64m30s'), ['n2', 'n3', 'n4'])
  assert.deepEqual(await ids('--metadata', 'even:=true', '--limit', '2'), ['n0', 'n2'])
  const found = ['n109', ...Array.from({ length: 10 }, (_, n) => `n109${n}`)]
  assert.deepEqual(await ids('--search', 'n109', '--limit', '20', '--sort', 'due'), found)
  assert.deepEqual(await ids('--status', 'completed,failed'), [])
  assert.match((await duetime('list', '-n', 'elsewhere')).out, /^No timers\.\n$/)
})

test('a timer is changed, paused, resumed, made due, retried and canceled', async (t) => {
  const { duetime } = await setup(t)
  let isUp = false
  const receiver = await startReceiver(t, () => (isUp ? OK : FAILING))
  const status = async (id: string) => (JSON.parse((await duetime('get', id, '-o', 'json')).out) as TimerShown).status
  assert.equal((await duetime('create', 'in 1h', receiver.url, '--id', 'a', '--retries', '0', '-n', 'default')).code, 0)
  assert.match(
    (await duetime('update', 'a', 'tomorrow 9:00', '--payload', '1')).out,
    /^due .* 09:00:00 Europe\/Berlin[^]*^payload +1$/m,
  )
  assert.match((await duetime('pause', 'a')).out, /^a is paused$/m)
  assert.equal(await status('a'), 'paused')
  assert.match((await duetime('resume', 'a')).out, /^a is resumed, due /m)
  assert.match((await duetime('trigger', 'a')).out, /^a is due now$/m)
  await receiver.received('a')
  await eventually('its failure', async () => (await status('a')) === 'failed')
  assert.match((await duetime('list', '--status', 'failed')).out, /a +failed .* 1 +HTTP 500/)
  isUp = true
  assert.match((await duetime('retry', 'a')).out, /^a is due again$/m)
  await eventually('its success', async () => (await status('a')) === 'completed')
  assert.equal((await duetime('cancel', 'a')).code, 4)
  assert.equal((await duetime('create', 'in 1s', `${receiver.url}?wrong`, '--id', 'mended', '--retries', '0')).code, 0)
  isUp = false
  await eventually('its failure', async () => (await status('mended')) === 'failed')
  isUp = true
  assert.match(
    (await duetime('update', 'mended', '--callback', `${receiver.url}?right`, '--retry')).out,
    /^status +pending$/m,
  )
  await eventually('its success', async () => (await status('mended')) === 'completed')
  await Promise.all(['b', 'c', 'd'].map((id) => duetime('create', 'in 1h', HOOK, '--id', id, '--metadata', 'kind=x')))
  assert.match((await duetime('cancel', 'b')).out, /^b is canceled$/m)
  const unasked = await duetime('cancel', '--metadata', 'kind=x')
  assert.equal(unasked.code, 2)
  assert.match(unasked.err, /This would change 2 timers[^]*--yes/)
  assert.match((await duetime('cancel', '--metadata', 'kind=x', '--dry-run')).out, /^2 timers would be canceled\.\n$/)
  assert.match((await duetime('cancel', '--metadata', 'kind=x', '--yes')).out, /^2 timers canceled\.\n$/)
  assert.equal(await status('c'), 'canceled')
})

test('a preview shows the firings on the clocks of the zone and in UTC, and stores nothing', async (t) => {
  const { duetime } = await setup(t)
  const { out, code } = await duetime('preview', 'every day at 9:00', '--count', '3', '--time-zone', 'Asia/Kolkata')
  assert.equal(code, 0)
  assert.match(
    out,
    /^every day, in Asia\/Kolkata\n\n# +ASIA\/KOLKATA +UTC +FROM NOW\n1 +\S+ 09:00:00 +\S+T03:30:00\.000Z +in .*\n2 .*\n3 .*\n$/,
  )
  assert.match((await duetime('list')).out, /^No timers/)
})

test('an id that would control the terminal is shown as what it is', async (t) => {
  const { duetime } = await setup(t)
  assert.equal((await duetime('create', 'in 1h', HOOK, '--id', 'a\u001B[2Jb\u202Ec')).code, 0)
  const { out } = await duetime('list')
  assert.match(out, /^a\\u001b\[2Jb\\u202ec +pending/m)
})

test('a payload is read from standard input', async (t) => {
  const { service } = await setup(t)
  const env = { DUETIME_URL: service.url }
  const created = await runCli(['create', 'in 1h', HOOK, '--payload', '-', '-o', 'json'], {
    env,
    input: '{"from":"a pipe"}',
  })
  assert.deepEqual((JSON.parse(created.out) as TimerShown)['payload'], { from: 'a pipe' })
})

test('calendars are put, shown, followed and deleted, with the days of an iCalendar file', async (t) => {
  const { cwd, duetime } = await setup(t)
  const file = join(cwd, 'holidays.ics')
  const event = [
    'BEGIN:VEVENT',
    'SUMMARY:Closed',
    'DTSTART;VALUE=DATE:20901227',
    'DTEND;VALUE=DATE:20901230',
    'END:VEVENT',
  ]
  writeFileSync(file, ['BEGIN:VCALENDAR', ...event, 'END:VCALENDAR'].join('\r\n'))
  assert.equal((await duetime('calendars', 'put', 'holidays')).code, 2)
  const bad = await duetime('calendars', 'put', 'holidays', '--exclude', 'christmas')
  assert.notEqual(bad.code, 0)
  assert.match(bad.err, /"christmas" is not an entry of a calendar/)
  const put = await duetime('calendars', 'put', 'holidays', '--time-zone', 'UTC', '--exclude', '--12-25', '--ics', file)
  assert.deepEqual([put.code, put.err], [0, ''])
  assert.match(put.out, /^holidays, in UTC\nexcludes:\n {2}--12-25\n {2}2090-12-27\/2090-12-29\n$/)
  assert.match(
    (await duetime('calendars', 'list')).out,
    /NAME +TIME ZONE +EXCLUDES[^]*holidays +UTC +--12-25, 2090-12-27\/2090-12-29/,
  )
  const read = JSON.parse((await duetime('calendars', 'get', 'holidays', '-o', 'json')).out) as Record<string, unknown>
  assert.deepEqual(read['exclude'], ['--12-25', '2090-12-27/2090-12-29'])
  const preview = await duetime('preview', '2090-12-28T09:00:00Z', '--calendar', 'holidays', '--time-zone', 'UTC')
  assert.match(preview.out, /2090-12-30T00:00:00\.000Z.*moved by the calendar holidays/)
  const made = await duetime('create', '2090-12-25T09:00:00Z', HOOK, '--calendar', 'holidays', '-o', 'json')
  assert.equal((JSON.parse(made.out) as TimerShown).executeAt, '2090-12-26T00:00:00.000Z')
  assert.match(
    (await duetime('create', 'every 1h', HOOK, '--on-excluded', 'skip')).err,
    /--on-excluded belongs to --calendar/,
  )
  assert.match((await duetime('calendars', 'delete', 'holidays')).err, /Deleted the calendar holidays/)
  assert.equal((await duetime('calendars', 'get', 'holidays')).code, 3)
})
