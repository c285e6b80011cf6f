// The rows of the table: what each system is asked to do, in which order, how often. The first round does not count:
// everybody compiles code in it.

import { Session } from './session.ts'
import type { Settings } from './system.ts'
import type { Contestant } from './systems.ts'
import type { Results, RowKind } from './results.ts'

export type Comparison = {
  readonly contestants: readonly Contestant[]
  readonly results: Results
  readonly isQuick: boolean
  readonly log: (line: string) => void
}

const CREATES: RowKind = { what: 'single creates, 64 in flight', unit: '/s', better: 'more' }
const CREATE_CPU: RowKind = { what: 'CPU of a single create, all processes', unit: 'µs', better: 'less' }
const BULK: RowKind = { what: 'creates in bulk', unit: '/s', better: 'more' }
const BURST: RowKind = { what: 'due at once, a function each', unit: '/s', better: 'more' }
const POST_BURST: RowKind = { what: 'due at once, an HTTP POST each', unit: '/s', better: 'more' }
const POST_CPU: RowKind = { what: 'CPU of a firing by HTTP POST, all processes', unit: 'µs', better: 'less' }
const LATENESS: RowKind = { what: 'lateness p99 at 100/s, a function each', unit: 'ms', better: 'less' }
const LATENESS_TUNED: RowKind = { what: 'the same, peers tuned', unit: 'ms', better: 'less' }
const LATENESS_POST: RowKind = {
  what: 'lateness p99 at 100/s, at an HTTP receiver, peers tuned',
  unit: 'ms',
  better: 'less',
}
const IDLE: RowKind = { what: 'CPU while nothing is due, peers tuned', unit: '% of a core', better: 'less' }
const RECOVERY: RowKind = { what: 'killed in a burst: everything was done after', unit: 's', better: 'less' }
const DISK: RowKind = { what: 'disk of the stored timers', unit: 'MiB', better: 'less' }
const MEMORY: RowKind = {
  what: 'memory of program and service or Redis, that many stored',
  unit: 'MiB',
  better: 'less',
}
const CREATES_GROWN: RowKind = { what: 'single creates, that many stored', unit: '/s', better: 'more' }
const BURST_GROWN: RowKind = { what: 'due at once, a function each, that many stored', unit: '/s', better: 'more' }
const LATENESS_GROWN: RowKind = { what: 'lateness p99 at 1,000/s, that many stored', unit: 'ms', better: 'less' }

const MIB = 1_048_576
const LIBRARIES = { librariesOnly: true }

type Size = {
  readonly rounds: number
  readonly createsMs: number
  readonly bulk: number
  readonly burst: number
  readonly postBurst: number
  readonly latenessMs: number
  readonly stored: number
  readonly grown: number
  readonly recovery: number
  readonly recoveryWithinMs: number
}

const FULL: Size = {
  rounds: 4,
  createsMs: 4_000,
  bulk: 30_000,
  burst: 50_000,
  postBurst: 20_000,
  latenessMs: 10_000,
  stored: 200_000,
  grown: 1_000_000,
  recovery: 5_000,
  recoveryWithinMs: 90_000,
}
const QUICK: Size = {
  rounds: 1,
  createsMs: 1_000,
  bulk: 5_000,
  burst: 5_000,
  postBurst: 2_000,
  latenessMs: 2_000,
  stored: 5_000,
  grown: 0,
  recovery: 1_000,
  recoveryWithinMs: 8_000,
}

export async function runAll(comparison: Comparison): Promise<void> {
  const size = comparison.isQuick ? QUICK : FULL
  for (let round = 0; round < size.rounds; round++) {
    const counts = size.rounds === 1 || round > 0
    await forAll(comparison, `rates, round ${round + 1} of ${size.rounds}`, 'tuned', (session) =>
      rates(comparison, session, size, counts),
    )
  }
  for (let round = 0; round < Math.max(size.rounds - 1, 1); round++) {
    await forAll(
      comparison,
      `lateness, round ${round + 1}`,
      'default',
      (session) => lateness(comparison, session, size, LATENESS),
      LIBRARIES,
    )
    await forAll(comparison, `lateness of tuned systems, round ${round + 1}`, 'tuned', (session) =>
      tunedLateness(comparison, session, size),
    )
  }
  await forAll(comparison, 'recovery', 'default', (session) => recovery(comparison, session, size), LIBRARIES)
  if (size.grown > 0) {
    await forAll(comparison, `${size.grown.toLocaleString('en-US')} stored`, 'tuned', (session) =>
      growth(comparison, session, size),
    )
  }
}

async function forAll(
  { contestants, log }: Comparison,
  title: string,
  settings: Settings,
  measure: (session: Session) => Promise<void>,
  { librariesOnly = false }: { readonly librariesOnly?: boolean } = {},
): Promise<void> {
  for (const contestant of contestants) {
    if (librariesOnly && !contestant.isLibrary) continue
    log(`${title}: ${contestant.name}`)
    const session = await Session.open(contestant, settings)
    try {
      await measure(session)
    } catch (error) {
      log(`  ${contestant.name} could not do it: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      await session.close()
    }
  }
}

async function rates({ results }: Comparison, session: Session, size: Size, counts: boolean): Promise<void> {
  const { contestant } = session
  const add = (kind: RowKind, value: number) => counts && results.add(kind, contestant, value)
  const creates = await session.creates(size.createsMs)
  add(CREATES, creates.perSecond)
  add(CREATE_CPU, creates.cpuUs)
  const bulk = await session.bulk(size.bulk)
  add(BULK, bulk.perSecond)
  const bulkPerSecond = bulk.perSecond
  if (contestant.isLibrary) add(BURST, (await session.burst(size.burst, { byPost: false, bulkPerSecond })).perSecond)
  const posts = await session.burst(size.postBurst, { byPost: true, bulkPerSecond })
  add(POST_BURST, posts.perSecond)
  add(POST_CPU, posts.cpuUs)
}

async function lateness({ results }: Comparison, session: Session, size: Size, kind: RowKind): Promise<void> {
  await session.bulk(size.stored)
  const { p99, p50 } = await session.lateness({ perSecond: 100, durationMs: size.latenessMs, byPost: false })
  results.add(kind, session.contestant, p99, `p50 ${p50.toFixed(1)} ms`)
}

async function tunedLateness(comparison: Comparison, session: Session, size: Size): Promise<void> {
  const { results } = comparison
  const { contestant } = session
  if (contestant.isLibrary) await lateness(comparison, session, size, LATENESS_TUNED)
  else await session.bulk(size.stored)
  const { p99, p50 } = await session.lateness({ perSecond: 100, durationMs: size.latenessMs, byPost: true })
  results.add(LATENESS_POST, contestant, p99, `p50 ${p50.toFixed(1)} ms`)
  results.add(IDLE, contestant, await session.idleCpu(size.latenessMs / 2))
}

async function recovery({ results }: Comparison, session: Session, size: Size): Promise<void> {
  const { seconds, twice } = await session.recovery(size.recovery, size.recoveryWithinMs)
  const remark = `${seconds === null ? `not within ${size.recoveryWithinMs / 1_000} s, ` : ''}${twice} done twice`
  results.add(RECOVERY, session.contestant, seconds ?? size.recoveryWithinMs / 1_000, remark)
}

async function growth({ results }: Comparison, session: Session, size: Size): Promise<void> {
  const { contestant } = session
  const { perSecond: bulkPerSecond } = await session.bulk(size.grown)
  results.add(DISK, contestant, (await session.diskBytes()) / MIB)
  results.add(MEMORY, contestant, session.residentBytes() / MIB)
  results.add(CREATES_GROWN, contestant, (await session.creates(size.createsMs)).perSecond)
  if (!contestant.isLibrary) return
  results.add(BURST_GROWN, contestant, (await session.burst(size.burst, { byPost: false, bulkPerSecond })).perSecond)
  const { p99, p50 } = await session.lateness({ perSecond: 1_000, durationMs: size.latenessMs, byPost: false })
  results.add(LATENESS_GROWN, contestant, p99, `p50 ${p50.toFixed(1)} ms`)
}
