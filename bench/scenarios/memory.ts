// What a million stored timers cost besides the disk they are on: memory and start-up time, each compared with the
// same service on an empty database, and the bytes on disk themselves. And what a service on PostgreSQL holds, empty and
// after a million timers came in by HTTP.

import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import { checkpoint } from '../harness/stored-timers.ts'
import type { Batches, BatchesResult } from '../programs/batch-generator.ts'
import { BATCH_PATH } from '../programs/create-body.ts'

export const memory: Scenario = { name: 'memory', run }

const STORED = 1_000_000
const SETTLE_MS = 3_000
const MIB = 2 ** 20
const STEP = 100_000 // the generator makes what it sends beforehand
const PER_BATCH = 1_000
const BATCHES_IN_FLIGHT = 4
const QUIET_MS = 50_000 // it gives back what a load has left behind after half a minute of rest

type Start = { readonly residentBytes: number; readonly startMs: number }

async function run(bench: Bench): Promise<Measurement[]> {
  const stored = bench.timers(STORED)
  const fullPath = await bench.database(stored)
  const emptyPath = await bench.database(0)
  const starts: { readonly empty: Start; readonly full: Start }[] = []
  for (let round = 0; round < bench.rounds; round++) {
    starts.push({ empty: await startOn(bench, emptyPath), full: await startOn(bench, fullPath) })
  }

  const scenario = 'memory'
  const bytesPerTimer = (bytesOnDisk(fullPath) - bytesOnDisk(emptyPath)) / stored
  const memoryRounds = starts.map(({ empty, full }) => (full.residentBytes - empty.residentBytes) / MIB)
  const startRounds = starts.map(({ empty, full }) => (full.startMs - empty.startMs) / 1_000)
  return [
    measurement({
      scenario,
      what: 'empty service',
      unit: 'MiB',
      rounds: starts.map(({ empty }) => empty.residentBytes / MIB),
    }),
    measurement({ scenario, what: 'more with 1M stored', unit: 'MiB', rounds: memoryRounds, target: { atMost: 50 } }),
    measurement({
      scenario,
      what: 'on disk per timer',
      unit: 'bytes',
      rounds: [bytesPerTimer],
      target: { atMost: 400 },
    }),
    measurement({
      scenario,
      what: 'start-up, empty',
      unit: 's',
      rounds: starts.map(({ empty }) => empty.startMs / 1_000),
    }),
    measurement({
      scenario,
      what: 'start-up, more with 1M stored',
      unit: 's',
      rounds: startRounds,
      target: { atMost: 1 },
    }),
    ...(await onPostgres(bench)),
  ]
}

async function onPostgres(bench: Bench): Promise<Measurement[]> {
  const database = await (await bench.postgres()).database()
  const server = await bench.duetime({ databaseUrl: database.url })
  const { helper } = await bench.helper<Batches, BatchesResult>(
    new URL('../programs/batch-generator.ts', import.meta.url),
  )
  await sleep(bench.durationMs(SETTLE_MS))
  const empty = server.residentBytes()
  const timers = bench.timers(STORED)
  const requests = Math.min(STEP, timers) / PER_BATCH
  for (let firstId = 1; firstId <= timers; firstId += requests * PER_BATCH) {
    const about = { origin: server.url, path: BATCH_PATH, timersPerRequest: PER_BATCH, inFlight: BATCHES_IN_FLIGHT }
    await helper.ask({ ...about, requests, firstId, due: { afterDays: 2, days: 363 } })
  }
  const busy = server.residentBytes()
  await sleep(bench.durationMs(QUIET_MS))
  const quiet = server.residentBytes()
  await server.stop()
  const figure = (what: string, bytes: number, target: number | null) =>
    measurement({
      scenario: 'memory',
      what: `PostgreSQL: ${what}`,
      unit: 'MiB',
      rounds: [bytes / MIB],
      ...(target !== null && { target: { atMost: target } }),
    })
  return [
    figure('empty service', empty, 120),
    figure('when 1M have come in', busy, null),
    figure('after 1M came in, and a rest', quiet, 170),
  ]
}

async function startOn(bench: Bench, databasePath: string): Promise<Start> {
  const server = await bench.duetime({ databasePath })
  await sleep(bench.durationMs(SETTLE_MS))
  const residentBytes = server.residentBytes()
  await server.stop()
  return { residentBytes, startMs: server.startMs }
}

function bytesOnDisk(path: string): number {
  checkpoint(path)
  return ['', '-wal'].reduce((sum, suffix) => sum + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0), 0)
}
