// NATS in both directions, on a server of the bench's own. Commands in: from the first publish until the last of them is
// a durable timer and acknowledged. Events out: many timers due at one instant, until the last event is stored. Beside
// both, bare publishes to a stream of the same server, as many at once and as large as the events.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import type { JetStreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { natsServer } from '../../test/support/nats-server.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import type { Helper } from '../harness/helper-process.ts'
import type { Publishing } from '../programs/nats-publisher.ts'
import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'

export const nats: Scenario = { name: 'nats', run }

const TIMERS = 50_000
const IN_FLIGHT = 256 // the default of DELIVERIES_PER_TARGET_MAX
const LEAD_MS = 20_000 // time to take all commands, and for the service to come to rest
const LEAD_MIN_MS = 5_000
const REST_MS = 1_000
const WAIT_MS = 120_000
const FAR_AWAY = '2040-01-10T00:00:00.000Z'

async function run(bench: Bench): Promise<Measurement[]> {
  const directory = mkdtempSync(join(tmpdir(), 'duetime-bench-nats-'))
  const server = await natsServer(directory)
  await server.start()
  try {
    return await measured(bench, server.url)
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function measured(bench: Bench, url: string): Promise<Measurement[]> {
  const count = bench.timers(TIMERS)
  const leadMs = Math.max(bench.timers(LEAD_MS), LEAD_MIN_MS)
  const client = await connect({ servers: url })
  const manager = await jetstreamManager(client)
  await manager.streams.add({ name: 'BARE', subjects: ['bare'] })
  await bench.duetime({ databasePath: await bench.database(0), env: { NATS_URL: url } })
  const { helper } = await bench.helper<Publishing, { durationMs: number }>(
    new URL('../programs/nats-publisher.ts', import.meta.url),
  )

  const bare: number[] = []
  const commands: number[] = []
  const events: number[] = []
  for (let round = 0; round < bench.rounds; round++) {
    const publishing = { helper, url, count, round }
    bare.push(perSecond(count, await publish(publishing, 'bare', eventText())))

    const sentAt = Date.now()
    await publish(publishing, 'timer.commands', commandText(`far-${round}`, FAR_AWAY))
    await untilTaken(manager)
    commands.push(perSecond(count, Date.now() - sentAt))

    const before = (await manager.streams.info('TIMER_EVENTS')).state.messages
    const dueAt = Date.now() + leadMs
    await publish(
      { ...publishing, round: round + 0.5 },
      'timer.commands',
      commandText(`due-${round}`, new Date(dueAt).toISOString()),
    )
    await untilTaken(manager)
    if (Date.now() > dueAt - Math.min(REST_MS, leadMs / 2)) {
      throw new Error('taking the commands took too long: the burst would begin before all of them are stored')
    }
    await sleep(dueAt - Date.now())
    events.push(perSecond(count, (await storedAt(manager, before + count)) - dueAt))
  }
  await client.close()

  const raw = { what: 'bare publishes to a stream', rounds: bare }
  const timers = count.toLocaleString('en-US')
  const scenario = 'nats'
  return [
    measurement({ scenario, what: `commands in, durable, ${IN_FLIGHT} in flight`, unit: '/s', rounds: commands, raw }),
    measurement({
      scenario,
      what: `events out, ${timers} due at once`,
      unit: '/s',
      rounds: events,
      raw,
      target: { shareAtLeast: 0.4 },
    }),
  ]
}

type Round = {
  readonly helper: Helper<Publishing, { durationMs: number }>
  readonly url: string
  readonly count: number
  readonly round: number
}

async function publish({ helper, url, count, round }: Round, subject: string, text: string): Promise<number> {
  return (await helper.ask({ url, subject, count, inFlight: IN_FLIGHT, text, round: `${subject}-${round}` })).durationMs
}

function commandText(prefix: string, dueAt: string): string {
  const payload = { tenantId: 'bench', serviceCallId: `${prefix}-{n}`, dueAt }
  const ids = { id: '01920000-0000-7000-8000-{n}', correlationId: 'c-{n}' }
  return JSON.stringify({ ...ids, type: 'ScheduleTimer', tenantId: 'bench', timestampMs: 1, payload })
}

/** As long as a DueTimeReached. */
function eventText(): string {
  const payload = { tenantId: 'bench', serviceCallId: 'due-0-{n}', reachedAt: FAR_AWAY }
  const ids = { id: '01920000-0000-7000-8000-{n}', aggregateId: 'due-0-{n}', correlationId: 'c-{n}' }
  return JSON.stringify({ ...ids, type: 'DueTimeReached', tenantId: 'bench', timestampMs: 1_777_636_800_000, payload })
}

/** Commands leave their stream when they are acknowledged. */
async function untilTaken(manager: JetStreamManager): Promise<void> {
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(5)) {
    if ((await manager.streams.info('TIMER_COMMANDS')).state.messages === 0) return
  }
  throw new Error('some commands were never taken')
}

async function storedAt(manager: JetStreamManager, sequence: number): Promise<number> {
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(10)) {
    if ((await manager.streams.info('TIMER_EVENTS')).state.last_seq < sequence) continue
    const message = await manager.streams.getMessage('TIMER_EVENTS', { seq: sequence })
    return message!.time.getTime()
  }
  throw new Error('some events were never published')
}

function perSecond(count: number, durationMs: number): number {
  return (count / durationMs) * 1_000
}
