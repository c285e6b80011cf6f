// kill -9, again and again, at random moments, while clients create, update, cancel and pause timers and receivers are
// slow, failing or asking for another time. Afterwards everything that was acknowledged must have come true.
//
//   SEED=123 ROUNDS=200 node --test test/crash.test.ts

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUp } from './support/cleanup.ts'
import { Client } from './support/client.ts'
import { answerAsTold } from './support/crash/answering.ts'
import { checkHistory } from './support/crash/check-history.ts'
import { finalStates } from './support/crash/final-states.ts'
import { describeHistory } from './support/crash/history.ts'
import type { TimerHistory } from './support/crash/history.ts'
import { Supervisor } from './support/crash/supervisor.ts'
import { Worker } from './support/crash/workload.ts'
import type { WorkTimer } from './support/crash/workload.ts'
import { eventually } from './support/eventually.ts'
import { startReceiver } from './support/receiver.ts'
import { SeededRandom } from './support/seeded-random.ts'
import { tempDir } from './support/temp-dir.ts'

const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const ROUNDS = Number(process.env['ROUNDS'] ?? 50)
const WORKERS = 8
const SHOWN_VIOLATIONS = 5
const READY_WITHIN_MS = 60_000 // the machine may do much else

test('what was acknowledged comes true, whatever is killed when', { timeout: 300_000 + ROUNDS * 12_000 }, async (t) => {
  console.log(`crash test: seed ${SEED}`)
  const random = new SeededRandom(SEED)
  const cwd = tempDir(t)
  const receiver = await startReceiver(t, answerAsTold())
  const supervisor = new Supervisor({ cwd, env: { TIMER_DB_PATH: 'timers.db', RESCHEDULE_MIN: '1ms' } })
  cleanUp(t, () => supervisor.service.kill())
  const client = new Client(() => supervisor.service)
  const workers = Array.from({ length: WORKERS }, (_, n) => {
    const serviceUp = () => supervisor.up
    return new Worker({ name: `w${n}`, random: random.fork(), client, callbackUrl: receiver.url, serviceUp })
  })

  const working = Promise.all(workers.map((worker) => worker.run()))
  await killAgainAndAgain(supervisor, random)
  await supervisor.start()
  for (const worker of workers) worker.finish()
  await working

  const timers = workers.flatMap((worker) => worker.timers)
  const finals = await finalStates(
    timers.map(({ id }) => id),
    client,
  )
  await everythingDue(timers)
  assert.deepEqual(await supervisor.service.stop(), { code: 0, signal: null })

  const byTimer = Map.groupBy(receiver.deliveries, ({ timerId }) => timerId)
  const histories = timers.map(({ id, operations }) => ({
    id,
    operations,
    deliveries: byTimer.get(id) ?? [],
    final: finals.get(id) ?? null,
  }))
  const verdicts = histories.map((history) => ({ history, ...checkHistory(history, supervisor.kills) }))
  console.log(
    summary(
      histories,
      verdicts.reduce((sum, { duplicates }) => sum + duplicates, 0),
      supervisor,
    ),
  )

  const guilty = verdicts.filter(({ violations }) => violations.length > 0)
  for (const { history, violations } of guilty.slice(0, SHOWN_VIOLATIONS)) {
    console.log(
      `\nVIOLATION\n${violations.map((text) => `  ! ${text}`).join('\n')}\n${describeHistory(history, supervisor.kills)}`,
    )
  }
  if (guilty.length > 0) console.log('the service complained of', supervisor.complaints())
  assert.equal(guilty.length, 0, `${guilty.length} timers broke a promise; run again with SEED=${SEED}`)
  assert.ok(Math.max(...supervisor.readyMs) < READY_WITHIN_MS, 'a restart took too long')
  assert.equal(integrityOf(join(cwd, 'timers.db')), 'ok')
})

/** Most kills hit a service that is at work, some one that is only starting. */
async function killAgainAndAgain(supervisor: Supervisor, random: SeededRandom): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    if (random.chance(0.15)) supervisor.spawn()
    else await supervisor.start()
    await sleep(random.between(100, 900))
    await supervisor.kill()
  }
}

/** What was canceled, paused or updated has no reason to fire any more; its old time must pass to see that it does not. */
async function everythingDue(timers: readonly WorkTimer[]): Promise<void> {
  const lastDueAt = Math.max(...timers.flatMap(({ operations }) => operations.map(({ dueAt }) => dueAt ?? 0)))
  await eventually('the last due time is over', () => Date.now() > lastDueAt + 500)
}

function summary(histories: readonly TimerHistory[], duplicates: number, { kills, readyMs }: Supervisor): string {
  const operations = histories.flatMap((history) => history.operations)
  const count = (type: string, outcome = 'acknowledged') =>
    operations.filter((one) => one.type === type && one.outcome === outcome).length
  const outcomes = (outcome: string) => operations.filter((one) => one.outcome === outcome).length
  const deliveries = histories.flatMap((history) => history.deliveries)
  const acknowledged = (['create', 'update', 'cancel', 'pause', 'resume'] as const)
    .map((type) => `${count(type)} ${type}s`)
    .join(', ')
  return (
    `crash test: seed ${SEED}, ${kills.length} kills, ${histories.length} timers; acknowledged ${acknowledged}; ` +
    `in doubt ${outcomes('inDoubt')}, refused ${outcomes('refused')}, not sent ${outcomes('notSent')}; ` +
    `${deliveries.length} deliveries, ${deliveries.filter(({ answered }) => answered === null).length} cut off, ` +
    `${duplicates} duplicates after an ok; slowest start ${Math.max(...readyMs)} ms`
  )
}

function integrityOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare('PRAGMA integrity_check').get()?.['integrity_check']
  } finally {
    database.close()
  }
}
