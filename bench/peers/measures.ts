// The work behind the rows, for one system that has been opened.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Notes, Results } from '../report/peers/results.ts'
import type { RowKey } from '../report/peers/rows.ts'
import type { Session } from './session.ts'
import type { Growth, Size } from './sizes.ts'

const MIB = 1_048_576
const LATENESS_PER_SECOND = 100
const FIRST_BURST_SHARE = 0.25
const FIRST_BULK = 300 // how fast it stores, for those who have not said it yet

export async function rates(results: Results, session: Session, size: Size): Promise<void> {
  const { contestant } = session
  const add = (key: RowKey, value: number, notes: Notes = {}) => results.add(key, contestant, value, notes)
  const creates = await session.creates(size.createsMs)
  add('creates', creates.perSecond)
  add('createCpu', creates.cpuUs)
  const many = atMost(size.bulk, contestant.atMost?.stored)
  const { perSecond: bulkPerSecond } = await session.bulk(many.count)
  add('bulk', bulkPerSecond, many)
  if (contestant.isLibrary) {
    const due = atMost(size.burst, contestant.atMost?.dueAtOnce)
    add('burst', (await session.burst(due.count, { byPost: false, bulkPerSecond })).perSecond, due)
  }
  const due = atMost(size.postBurst, contestant.atMost?.dueAtOnce)
  const posts = await session.burst(due.count, { byPost: true, bulkPerSecond })
  add('postBurst', posts.perSecond, due)
  add('postCpu', posts.cpuUs, due)
}

/** Rows of systems as they are installed. */
export async function defaults(results: Results, session: Session, size: Size): Promise<void> {
  const bulkPerSecond = await stored(session, size)
  await functionLateness(results, session, size, ['latenessDefault'])
  await defaultBurst(results, session, size, bulkPerSecond)
}

export async function tunedLateness(results: Results, session: Session, size: Size): Promise<void> {
  const { contestant } = session
  const bulkPerSecond = await stored(session, size)
  const keys: readonly RowKey[] = contestant.isDuetime ? ['latenessDefault', 'lateness'] : ['lateness']
  if (contestant.isLibrary) await functionLateness(results, session, size, keys)
  const { p99, p50 } = await session.lateness({ ...latenessRate(session, size), byPost: true })
  results.add('latenessPost', contestant, p99, latenessNotes(session, size, p50))
  results.add('idle', contestant, await session.idleCpu(size.idleMs))
  if (contestant.isLibrary && contestant.isDuetime) await defaultBurst(results, session, size, bulkPerSecond)
}

export async function recovery(results: Results, session: Session, size: Size): Promise<void> {
  const { contestant } = session
  const { count, less } = atMost(size.recovery, contestant.atMost?.dueAtOnce)
  const { perSecond } = await session.bulk(FIRST_BULK)
  const { seconds, missing, twice } = await session.recovery(count, size.recoveryWithinMs, perSecond)
  const remark = seconds === null ? `${missing.toLocaleString('en-US')} not done within this time` : 'none lost'
  results.add('recovery', contestant, seconds ?? size.recoveryWithinMs / 1_000, { less, remark })
  results.add('doubled', contestant, twice, { less })
}

export async function day(results: Results, session: Session, size: Size): Promise<void> {
  const { count: perSecond } = atMost(size.dayPerSecond, session.contestant.atMost?.perSecond)
  const less = perSecond < size.dayPerSecond ? `at ${perSecond}/s` : null
  results.add('dayCpu', session.contestant, await session.day(perSecond, size.dayMs), { less })
}

/** The same work with few and with many stored, in turns, so that a slow moment of the machine is one for both. */
export async function growth(
  results: Results,
  { few, many }: { readonly few: Session; readonly many: Session },
  size: Growth,
): Promise<void> {
  const { contestant } = many
  await sleep(size.settleMs)
  const empty = { server: many.serverBytes(), program: many.programBytes() }
  const { perSecond: bulkPerSecond } = await many.bulk(size.many)
  await few.bulk(size.few)
  await sleep(many.serverBytes() > 0 ? size.serverRestMs : size.settleMs)
  const [server, program] = [many.serverBytes(), many.programBytes()]
  const disk = await many.diskBytes()
  results.add('disk', contestant, disk / MIB, { remark: `${Math.round(disk / size.many)} bytes each` })
  const added = Math.round((server + program - empty.server - empty.program) / size.many)
  results.add('memory', contestant, (server + program) / MIB, { remark: `${added} bytes each more than empty` })
  if (server > 0) {
    results.add('serviceEmpty', contestant, empty.server / MIB)
    results.add('serviceFull', contestant, server / MIB)
  }
  if (contestant.isLibrary) {
    const { count, less } = atMost(size.burst, contestant.atMost?.dueAtOnce)
    const burst = (session: Session, share = 1) => session.burst(count * share, { byPost: false, bulkPerSecond })
    // One that does not count: both programs compile their code, which the one with many has done in part.
    for (const session of [few, many]) await burst(session, FIRST_BURST_SHARE)
    const rate = { few: (await burst(few)).perSecond, many: (await burst(many)).perSecond }
    addPair(results, many, ['burstGrown', 'burstGrowth'], { ...rate, unit: '/s', less })
    const lateness = (session: Session) =>
      session.lateness({ perSecond: 1_000, durationMs: size.latenessMs, byPost: false })
    const p99 = { few: (await lateness(few)).p99, many: (await lateness(many)).p99 }
    addPair(results, many, ['latenessGrown', 'latenessGrowth'], { ...p99, unit: 'ms' })
  }
  // The first does not count here either.
  for (let slice = 0; slice <= size.slices; slice++) {
    const rate = {
      few: (await few.creates(size.createsMs)).perSecond,
      many: (await many.creates(size.createsMs)).perSecond,
    }
    if (slice > 0) addPair(results, many, ['createsGrown', 'createsGrowth'], { ...rate, unit: '/s' })
  }
}

type Pair = { readonly few: number; readonly many: number; readonly unit: string; readonly less?: string | null }

function addPair(
  results: Results,
  { contestant }: Session,
  [grown, growthKey]: readonly [RowKey, RowKey],
  { few, many, unit, less = null }: Pair,
): void {
  const figure = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1))
  results.add(grown, contestant, many, { less })
  results.add(growthKey, contestant, many / few, { less, remark: `${figure(few)} → ${figure(many)} ${unit}` })
}

async function stored(session: Session, size: Size): Promise<number> {
  return (await session.bulk(atMost(size.stored, session.contestant.atMost?.stored).count)).perSecond
}

async function functionLateness(
  results: Results,
  session: Session,
  size: Size,
  keys: readonly RowKey[],
): Promise<void> {
  const { p99, p50 } = await session.lateness({ ...latenessRate(session, size), byPost: false })
  for (const key of keys) results.add(key, session.contestant, p99, latenessNotes(session, size, p50))
}

function latenessRate({ contestant }: Session, { latenessMs }: Size): { perSecond: number; durationMs: number } {
  return { perSecond: atMost(LATENESS_PER_SECOND, contestant.atMost?.perSecond).count, durationMs: latenessMs }
}

function latenessNotes(session: Session, size: Size, p50: number): Notes {
  const { count } = atMost(size.stored, session.contestant.atMost?.stored)
  const { perSecond } = latenessRate(session, size)
  const less = [
    ...(count < size.stored ? [`${count.toLocaleString('en-US')} stored`] : []),
    ...(perSecond < LATENESS_PER_SECOND ? [`at ${perSecond}/s`] : []),
  ]
  return { less: less.length === 0 ? null : less.join(', '), remark: `p50 ${p50.toFixed(1)} ms` }
}

async function defaultBurst(results: Results, session: Session, size: Size, bulkPerSecond: number): Promise<void> {
  const due = atMost(size.defaultBurst, session.contestant.atMost?.dueAtOnce)
  const { perSecond } = await session.burst(due.count, { byPost: false, bulkPerSecond })
  results.add('burstDefault', session.contestant, perSecond, due)
}

/** Fewer where the system could not do so many in time, which the table then says. */
function atMost(wanted: number, limit = Infinity): { readonly count: number; readonly less: string | null } {
  return wanted <= limit
    ? { count: wanted, less: null }
    : { count: limit, less: `${limit.toLocaleString('en-US')} of them` }
}
