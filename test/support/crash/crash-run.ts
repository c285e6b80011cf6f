// kill -9, again and again, at random moments, while clients create, update, cancel and pause timers and receivers are
// slow, failing or asking for another time. Afterwards everything that was acknowledged must have come true, whatever the
// database is.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUp } from '../cleanup.ts'
import { Client } from '../client.ts'
import { eventually } from '../eventually.ts'
import { startReceiver } from '../receiver.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { Environment } from '../service.ts'
import { answerAsTold } from './answering.ts'
import { checkHistory } from './check-history.ts'
import { finalStates } from './final-states.ts'
import { describeHistory } from './history.ts'
import type { TimerHistory } from './history.ts'
import { Supervisor } from './supervisor.ts'
import { Worker } from './workload.ts'
import type { WorkTimer } from './workload.ts'

const WORKERS = 8
const SHOWN_VIOLATIONS = 5
const READY_WITHIN_MS = 60_000 // the machine may do much else

export type CrashRun = {
  readonly cwd: string
  readonly env: Environment
  readonly seed: number
  readonly rounds: number
  /** How long a life lasts once it is ready, or has begun. */
  readonly lifeMs?: readonly [min: number, max: number]
}

export async function crashAgainAndAgain(
  t: TestContext,
  { cwd, env, seed, rounds, lifeMs = [100, 900] }: CrashRun,
): Promise<void> {
  console.log(`crash test: seed ${seed}`)
  const random = new SeededRandom(seed)
  const receiver = await startReceiver(t, answerAsTold())
  const supervisor = new Supervisor({ cwd, env: { RESCHEDULE_MIN: '1ms', ...env } })
  cleanUp(t, () => supervisor.service.kill())
  const client = new Client(() => supervisor.service)
  const workers = Array.from({ length: WORKERS }, (_, n) => {
    const serviceUp = () => supervisor.up
    return new Worker({ name: `w${n}`, random: random.fork(), client, callbackUrl: receiver.url, serviceUp })
  })

  const working = Promise.all(workers.map((worker) => worker.run()))
  for (let round = 0; round < rounds; round++) await liveAndDie(supervisor, random, lifeMs)
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
      seed,
    ),
  )

  const guilty = verdicts.filter(({ violations }) => violations.length > 0)
  for (const { history, violations } of guilty.slice(0, SHOWN_VIOLATIONS)) {
    console.log(
      `\nVIOLATION\n${violations.map((text) => `  ! ${text}`).join('\n')}\n${describeHistory(history, supervisor.kills)}`,
    )
  }
  if (guilty.length > 0) console.log('the service complained of', supervisor.complaints())
  assert.equal(guilty.length, 0, `${guilty.length} timers broke a promise; run again with SEED=${seed}`)
  assert.ok(Math.max(...supervisor.readyMs) < READY_WITHIN_MS, 'a restart took too long')
}

/** Most kills hit a service that is at work, some one that is only starting. */
async function liveAndDie(
  supervisor: Supervisor,
  random: SeededRandom,
  [min, max]: readonly [number, number],
): Promise<void> {
  if (random.chance(0.15)) supervisor.spawn()
  else await supervisor.start()
  await sleep(random.between(min, max))
  await supervisor.kill()
}

/** What was canceled, paused or updated has no reason to fire any more; its old time must pass to see that it does not. */
async function everythingDue(timers: readonly WorkTimer[]): Promise<void> {
  const lastDueAt = Math.max(...timers.flatMap(({ operations }) => operations.map(({ dueAt }) => dueAt ?? 0)))
  await eventually('the last due time is over', () => Date.now() > lastDueAt + 500)
}

function summary(
  histories: readonly TimerHistory[],
  duplicates: number,
  { kills, readyMs }: Supervisor,
  seed: number,
): string {
  const operations = histories.flatMap((history) => history.operations)
  const count = (type: string, outcome = 'acknowledged') =>
    operations.filter((one) => one.type === type && one.outcome === outcome).length
  const outcomes = (outcome: string) => operations.filter((one) => one.outcome === outcome).length
  const deliveries = histories.flatMap((history) => history.deliveries)
  const acknowledged = (['create', 'update', 'cancel', 'pause', 'resume'] as const)
    .map((type) => `${count(type)} ${type}s`)
    .join(', ')
  return (
    `crash test: seed ${seed}, ${kills.length} kills, ${histories.length} timers; acknowledged ${acknowledged}; ` +
    `in doubt ${outcomes('inDoubt')}, refused ${outcomes('refused')}, not sent ${outcomes('notSent')}; ` +
    `${deliveries.length} deliveries, ${deliveries.filter(({ answered }) => answered === null).length} cut off, ` +
    `${duplicates} duplicates after an ok; slowest start ${Math.max(...readyMs)} ms`
  )
}
