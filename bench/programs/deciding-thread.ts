// The deciding thread by itself: the service and the engine of a node with nothing around them. Commands come ready-made, as from
// a door in another thread; the store is the one in memory; the target completes at once. What is left is what one thread
// has to do for each create and each firing, whatever doors and stores do beside it.

import { setTimeout as sleep } from 'node:timers/promises'
import { beginLife, buildEngine, buildService } from '../../src/assembly.ts'
import { unrestricted } from '../../src/core/access/access.ts'
import { DEFAULT_RETRY } from '../../src/core/rules/retry.ts'
import { OnConflict } from '../../src/core/rules/command.ts'
import type { CreateCommand } from '../../src/core/rules/command.ts'
import { DEFAULT_NAMESPACE, timerIdentity } from '../../src/core/timer/ids.ts'
import { CatchUp } from '../../src/core/timer/timer.ts'
import type { JsonText, TimerId } from '../../src/core/timer/timer.ts'
import { NATIVE_PROTOCOL } from '../../src/language/callback.ts'
import { systemClock } from '../../src/runtime/clock/clock.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { silentLogger } from '../../src/runtime/telemetry/logger.ts'
import type { Timers } from '../../src/service/timers.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { NoneTarget } from '../../src/targets/none/none-target.ts'
import { answerQuestions } from '../harness/helper-side.ts'

export type DecidingQuestion = {
  /** `creates`: single ones, `inFlight` at a time. `batches`: `inFlight` at a time in one call. `firings`: all due at once. */
  readonly work: 'creates' | 'batches' | 'firings'
  readonly count: number
  readonly inFlight: number
}

/** `cpuMicros`: of the main thread alone; collecting garbage beside it in V8's own threads is not in it. */
export type DecidingResult = { readonly perSecond: number; readonly cpuMicros: number }

const LEAD_MS = 1_000 // all firings of a round are stored before the first is due
const FAR_MS = 86_400_000
const PAYLOAD = '{"order":"o-1234567890","reason":"payment reminder","n":1}' as JsonText

answerQuestions<DecidingQuestion, DecidingResult>({}, async ({ work, count, inFlight }) => {
  let settled = 0
  const allSettled = Promise.withResolvers<void>()
  const node = await openNode(() => {
    if (++settled === count) allSettled.resolve()
  })
  try {
    if (work !== 'firings') {
      const commands = createCommands(count, Date.now() + FAR_MS)
      return await measured(count, () => (work === 'creates' ? singly : inBatches)(node.timers, commands, inFlight))
    }
    const dueAt = Date.now() + LEAD_MS + count / 10
    await inBatches(node.timers, createCommands(count, dueAt), inFlight)
    if (settled > 0) throw new Error('timers came due before all were stored')
    await sleep(dueAt - 20 - Date.now())
    return await measured(count, () => allSettled.promise, dueAt)
  } finally {
    await node.stop()
  }
})

/** As the library opens one, on a store in memory. */
async function openNode(onSettled: () => void): Promise<{ timers: Timers; stop: () => Promise<void> }> {
  const config = loadConfig({ env: {}, flags: { 'database-url': 'memory:' } })
  const life = await beginLife()
  const targets = [new NoneTarget()]
  const observer = { fired() {}, settled: onSettled, committed() {}, executed() {} }
  const store = new MemoryStore()
  const parts = { config, clock: systemClock, logger: silentLogger(), store, targets, observer, links: null }
  const engine = buildEngine({ ...parts, life, address: () => '', outbox: null })
  await engine.start()
  const stop = async () => {
    await engine.stop(1_000)
    life.end()
  }
  return { timers: buildService({ ...parts, engine }).as(unrestricted('bench')), stop }
}

function createCommands(count: number, dueAt: number): CreateCommand[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'create',
    ...timerIdentity(DEFAULT_NAMESPACE, `bench-${String(index).padStart(14, '0')}` as TimerId),
    onConflict: OnConflict.replace,
    minLeadMs: null,
    spec: {
      schedule: { kind: 'instant', text: '', timeZone: null, rules: null, at: dueAt },
      catchUp: CatchUp.all,
      target: { type: 'none' },
      protocol: NATIVE_PROTOCOL,
      payload: PAYLOAD,
      metadata: null,
      retry: DEFAULT_RETRY,
      timeoutMs: 30_000,
      traceparent: null,
      correlationId: null,
    },
  }))
}

async function singly(timers: Timers, commands: readonly CreateCommand[], inFlight: number): Promise<void> {
  let next = 0
  const oneAfterTheOther = async () => {
    while (next < commands.length) await timers.execute(commands[next++]!)
  }
  await Promise.all(Array.from({ length: inFlight }, oneAfterTheOther))
}

async function inBatches(timers: Timers, commands: readonly CreateCommand[], size: number): Promise<void> {
  for (let at = 0; at < commands.length; at += size) {
    const results = await timers.executeMany(commands.slice(at, at + size))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
}

/** `from`: when the work begins, if that is not now. */
async function measured(count: number, work: () => Promise<void>, from?: number): Promise<DecidingResult> {
  globalThis.gc?.()
  const [startedAt, cpuBefore] = [Math.max(Date.now(), from ?? 0), process.threadCpuUsage()]
  await work()
  const [elapsedMs, { user, system }] = [Date.now() - startedAt, process.threadCpuUsage(cpuBefore)]
  return { perSecond: (count / elapsedMs) * 1_000, cpuMicros: (user + system) / count }
}
