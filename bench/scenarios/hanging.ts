// Fairness between tenants: how late the timers of one key are while another key has thousands of timers due, each in a
// namespace of its own, whose receivers never answer and may take an hour. Compared with the same timers before that, on
// the same server, which is a new one each round since what hangs keeps hanging.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, hashKey } from '../../src/service/keys/api-key.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import type { Helper } from '../harness/helper-process.ts'
import { BATCH_PATH, batchBody, isAllStored, timerBody } from '../programs/create-body.ts'
import type { ReceiverQuestion, ReceiverResult } from '../programs/receiver.ts'
import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import { randomDueTimes } from './due-timers.ts'

export const hanging: Scenario = { name: 'hanging', run }

const PER_SECOND = 100
const DURATION_MS = 8_000
const LEAD_MS = 5_000 // to create what will be due
const DUE_SOON_MS = 3_000
const HANGING_TIMERS = 40_000 // twice as many as memory holds; the small tenant has 1 % of that in four seconds
const HANGING_RECEIVERS = 64
const LATE_AT_MOST_MS = 30_000 // a call that has not come by then is missing, and that is an error
const PER_REQUEST = 500

type Parts = {
  readonly receiver: Helper<ReceiverQuestion, ReceiverResult>
  readonly origin: string
  readonly ports: readonly number[]
}
type Key = { readonly name: string; readonly secret: string }
type Batch = { readonly key: Key; readonly count: number; readonly bodyOf: (n: number) => string }
type Round = { readonly idleMs: number; readonly besideMs: number }

async function run(bench: Bench): Promise<Measurement[]> {
  const program = (name: string) => new URL(`../programs/${name}.ts`, import.meta.url)
  const { helper: receiver, ready } = await bench.helper<ReceiverQuestion, ReceiverResult, { port: number }>(
    program('receiver'),
  )
  const { ready: hung } = await bench.helper<never, never, { ports: readonly number[] }>(program('hanging-receivers'), {
    receivers: HANGING_RECEIVERS,
  })
  const parts: Parts = { receiver, origin: `http://127.0.0.1:${ready.port}`, ports: hung.ports }
  const rounds: Round[] = []
  for (let round = 0; round < bench.rounds; round++) rounds.push(await oneRound(bench, parts))
  const figure = (
    what: string,
    of: (round: Round) => number,
    rest: Pick<Measurement, 'unit'> & { target?: { atMost: number } },
  ) => measurement({ scenario: 'hanging', what, rounds: rounds.map(of), ...rest })
  return [
    figure(`p99 of one key at ${PER_SECOND}/s, nothing else`, ({ idleMs }) => idleMs, { unit: 'ms' }),
    figure('p99 beside another key whose receivers never answer', ({ besideMs }) => besideMs, { unit: 'ms' }),
    figure('the one in terms of the other', ({ idleMs, besideMs }) => besideMs / idleMs, {
      unit: 'times',
      target: { atMost: 2 },
    }),
  ]
}

async function oneRound(bench: Bench, parts: Parts): Promise<Round> {
  const durationMs = bench.durationMs(DURATION_MS)
  const folder = mkdtempSync(join(tmpdir(), 'duetime-bench-keys-'))
  const [small, greedy] = ['small', 'greedy'].map((name): Key => ({ name, secret: createKey() })) as [Key, Key]
  const entries = [small, greedy].map(({ name, secret }) => ({
    name,
    hash: hashKey(secret),
    permissions: ['timer'],
    namespaces: [`${name}.*`],
  }))
  writeFileSync(join(folder, 'keys.json'), JSON.stringify(entries))
  const env = {
    KEYS_FILE: join(folder, 'keys.json'),
    HOST: '127.0.0.1',
    CALLBACK_ALLOW: 'loopback',
    SHUTDOWN_GRACE: '1s',
  }
  const server = await bench.duetime({ databasePath: await bench.database(0), env })
  try {
    const idleMs = await p99(server, parts, { key: small, durationMs, idPrefix: 'i' })
    await hang(server, parts, { key: greedy, timers: bench.timers(HANGING_TIMERS) })
    return { idleMs, besideMs: await p99(server, parts, { key: small, durationMs, idPrefix: 'b' }) }
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Each is due when it is created, more or less; resolves when all are. */
async function hang(
  server: DuetimeServer,
  { ports }: Parts,
  { key, timers }: { key: Key; timers: number },
): Promise<void> {
  const bodyOf = (n: number) => {
    const executeAt = new Date(Date.now() + DUE_SOON_MS).toISOString()
    const body = timerBody({
      namespace: `${key.name}.${n}`,
      id: `h${n}`,
      executeAt,
      callbackUrl: `http://127.0.0.1:${ports[n % ports.length]}/`,
    })
    return `${body.slice(0, -1)},"callbackTimeout":"1h"}`
  }
  await create(server, { key, count: timers, bodyOf })
  await sleep(DUE_SOON_MS)
}

async function create(server: DuetimeServer, { key, count, bodyOf }: Batch): Promise<void> {
  for (let from = 0; from < count; from += PER_REQUEST) {
    const bodies = Array.from({ length: Math.min(PER_REQUEST, count - from) }, (_, index) => bodyOf(from + index))
    const answer = await server.post(BATCH_PATH, batchBody(bodies), { 'x-api-key': key.secret })
    if (!isAllStored(answer)) throw new Error(`some of a batch were refused: …${answer.slice(-500)}`)
  }
}

type Measured = { readonly key: Key; readonly durationMs: number; readonly idPrefix: string }

async function p99(
  server: DuetimeServer,
  { receiver, origin }: Parts,
  { key, durationMs, idPrefix }: Measured,
): Promise<number> {
  await receiver.ask({ type: 'reset' })
  const from = Date.now() + LEAD_MS
  const dueTimes = randomDueTimes({ from, durationMs, perSecond: PER_SECOND })
  const callbackUrl = `${origin}/hooks/order/reminders`
  const bodyOf = (n: number) =>
    timerBody({
      namespace: `${key.name}.a`,
      id: `${idPrefix}${n}`,
      executeAt: new Date(dueTimes[n]!).toISOString(),
      callbackUrl,
    })
  await create(server, { key, count: dueTimes.length, bodyOf })
  await sleep(Math.max(0, from + durationMs - Date.now()))
  const { count, latenessMs } = await receiver.ask({
    type: 'result',
    count: dueTimes.length,
    timeoutMs: LATE_AT_MOST_MS,
  })
  if (count !== dueTimes.length) throw new Error(`${dueTimes.length} calls were due and ${count} came`)
  return latenessMs!.p99
}
