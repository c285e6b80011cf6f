// Everything that can be said beside a schedule, by each way to say it: the API, the SDK, the command line and the library make the
// same timer.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Duetime } from '@duetime/client'
import { openDuetime } from '../src/embedded/index.ts'
import { cliFor } from './support/cli.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const CALLBACK = 'http://127.0.0.1:9/hook'
const FIELDS = {
  timeZone: 'Europe/Berlin',
  dst: { gap: 'skip', overlap: 'both' },
  startAt: '2040-01-01T00:00:00.000Z',
  endAt: '2041-01-01T00:00:00.000Z',
  maxFirings: 5,
  spread: '10m',
  catchUp: { max: 2 },
  maxLateness: '1h',
  overlap: 'allow',
} as const
const FLAGS = [
  '--time-zone', 'Europe/Berlin', '--dst-gap', 'skip', '--dst-overlap', 'both', '--start-at', FIELDS.startAt, '--end-at', FIELDS.endAt,
  '--max-firings', '5', '--spread', '10m', '--catch-up', '2', '--max-lateness', '1h', '--overlap', 'allow',
] // oxfmt-ignore

type Shown = Readonly<Record<string, unknown>>

test('the API, the SDK, the command line and the library make the same timer of the same words', async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  const post = async (verb: string, body: object): Promise<Shown> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${service.url}/api/v1/timers/${verb}`, { method: 'POST', headers, body: JSON.stringify(body) }) // oxfmt-ignore
    return (await answer.json()) as Shown
  }
  const sdk = new Duetime({ url: service.url })
  const cli = await cliFor(service.url)(
    'create',
    'every weekday at 9:00',
    CALLBACK,
    '--id',
    'cli',
    ...FLAGS,
    '-o',
    'json',
  )
  assert.equal(cli.code, 0, cli.err)
  const shown: readonly Shown[] = [
    await post('create', { id: 'api', schedule: '0 9 * * MON-FRI', ...FIELDS, callbackUrl: CALLBACK }),
    await sdk.create({ id: 'sdk', every: 'weekday at 9:00', ...FIELDS, callbackUrl: CALLBACK }),
    JSON.parse(cli.out) as Shown,
  ]
  for (const timer of shown) {
    assert.equal(timer['schedule'], '0 9 * * MON-FRI')
    assert.equal(timer['nominalAt'], '2040-01-02T08:00:00.000Z')
    for (const [field, value] of Object.entries(FIELDS)) assert.deepEqual(timer[field], value, `${field} of ${String(timer['id'])}`) // oxfmt-ignore
    const listed = (await post('list', { search: timer['id'], fields: Object.keys(FIELDS) }))['timers'] as Shown[]
    assert.deepEqual(listed, [FIELDS], 'lists know them all')
  }
  const library = await openDuetime({ database: join(tempDir(t), 'timers.db') })
  t.after(() => library.close())
  const made = await library.create({ id: 'lib', every: 'weekday at 9:00', ...FIELDS, callback: { type: 'http', url: CALLBACK } }) // oxfmt-ignore
  assert.deepEqual([made.schedule, made.nominalAt.toISOString()], ['0 9 * * MON-FRI', '2040-01-02T08:00:00.000Z'])
  assert.deepEqual([made.running, made.skipped, made.timeZone], [[], 0, 'Europe/Berlin'])
})
