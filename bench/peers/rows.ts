// The rows of the table: what each system is asked to do, in which order, how often. Before the rounds that count there is a
// small one that does not: files are read and disks wake up in it. Whatever a system does has a time limit; what it has not
// done by then is left out of its rows.

import { Session } from './session.ts'
import type { Settings } from './system.ts'
import type { Contestant } from './systems.ts'
import { Results } from './results.ts'
import type { RowKind } from './results.ts'

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
const DAY: RowKind = { what: 'CPU of a timer in a day, all processes', unit: 'µs', better: 'less' }
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
const LATE_MAX_MS = 60_000

type Size = {
  readonly rounds: number
  readonly latenessRounds: number
  readonly createsMs: number
  readonly bulk: number
  readonly burst: number
  readonly postBurst: number
  readonly latenessMs: number
  readonly dayMs: number
  readonly dayPerSecond: number
  readonly idleMs: number
  readonly stored: number
  readonly grown: number
  readonly recovery: number
  readonly recoveryWithinMs: number
  /** Between the last create of a burst and its time. */
  readonly leadMs: number
  /** For everything that a system does in one round. */
  readonly withinMs: number
}

const FULL: Size = {
  rounds: 3,
  latenessRounds: 2,
  createsMs: 3_000,
  bulk: 30_000,
  burst: 50_000,
  postBurst: 20_000,
  latenessMs: 8_000,
  dayMs: 15_000,
  dayPerSecond: 400,
  idleMs: 4_000,
  stored: 200_000,
  grown: 1_000_000,
  recovery: 5_000,
  recoveryWithinMs: 70_000, // BullMQ looks for stalled jobs every 30 s and takes the second look for granted
  leadMs: 3_000,
  withinMs: 300_000,
}
const QUICK: Size = {
  rounds: 1,
  latenessRounds: 1,
  createsMs: 700,
  bulk: 3_000,
  burst: 2_000,
  postBurst: 1_000,
  latenessMs: 1_000,
  dayMs: 1_500,
  dayPerSecond: 100,
  idleMs: 500,
  stored: 2_000,
  grown: 0,
  recovery: 500,
  recoveryWithinMs: 3_000,
  leadMs: 1_000,
  withinMs: 20_000,
}

export async function runAll(comparison: Comparison): Promise<void> {
  const size = comparison.isQuick ? QUICK : FULL
  if (!comparison.isQuick)
    await forAll(comparison, QUICK, { title: 'warming up', settings: 'tuned' }, (session) =>
      rates({ ...comparison, results: new Results() }, session, QUICK),
    )
  for (let round = 1; round <= size.rounds; round++) {
    const step = { title: `rates, round ${round} of ${size.rounds}`, settings: 'tuned' } as const
    await forAll(comparison, size, step, (session) => rates(comparison, session, size))
  }
  for (let round = 1; round <= size.latenessRounds; round++) {
    const of = `round ${round} of ${size.latenessRounds}`
    // Duetime has nothing to tune: it is measured once for both.
    await forAll(
      comparison,
      size,
      { title: `lateness, ${of}`, settings: 'default', who: ({ isDuetime }) => !isDuetime },
      (session) => lateness(comparison, session, size, [LATENESS]),
    )
    await forAll(comparison, size, { title: `lateness of tuned systems, ${of}`, settings: 'tuned' }, (session) =>
      tunedLateness(comparison, session, size),
    )
  }
  await forAll(
    comparison,
    size,
    { title: 'recovery', settings: 'default', who: ({ isLibrary }) => isLibrary },
    (session) => recovery(comparison, session, size),
  )
  await forAll(
    comparison,
    size,
    { title: 'a day', settings: 'tuned', who: ({ isLibrary }) => isLibrary },
    async (session) => {
      comparison.results.add(DAY, session.contestant, await session.day(size.dayPerSecond, size.dayMs))
    },
  )
  if (size.grown > 0) {
    const step = { title: `${size.grown.toLocaleString('en-US')} stored`, settings: 'tuned' } as const
    await forAll(comparison, size, step, (session) => growth(comparison, session, size))
  }
}

type Step = {
  readonly title: string
  readonly settings: Settings
  readonly who?: (contestant: Contestant) => boolean
}

async function forAll(
  { contestants, log }: Comparison,
  { withinMs, leadMs }: Size,
  { title, settings, who = () => true }: Step,
  measure: (session: Session) => Promise<void>,
): Promise<void> {
  for (const contestant of contestants.filter(who)) {
    const startedAt = performance.now()
    let failure = ''
    try {
      await within(await Session.open(contestant, { settings, leadMs, lateMaxMs: LATE_MAX_MS }), withinMs, measure)
    } catch (error) {
      failure = `: could not do it: ${error instanceof Error ? error.message : String(error)}`
    }
    log(`${title}: ${contestant.name}, ${((performance.now() - startedAt) / 1_000).toFixed(1)} s${failure}`)
  }
}

async function within(session: Session, ms: number, measure: (session: Session) => Promise<void>): Promise<void> {
  const timeout = setTimeout(() => void session.abandon(), ms)
  try {
    await measure(session)
  } finally {
    clearTimeout(timeout)
    await session.close()
  }
}

async function rates({ results }: Comparison, session: Session, size: Size): Promise<void> {
  const { contestant } = session
  const add = (kind: RowKind, value: number) => results.add(kind, contestant, value)
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

async function lateness(
  { results }: Comparison,
  session: Session,
  size: Size,
  kinds: readonly RowKind[],
): Promise<void> {
  await session.bulk(size.stored)
  const { p99, p50 } = await session.lateness({ perSecond: 100, durationMs: size.latenessMs, byPost: false })
  for (const kind of kinds) results.add(kind, session.contestant, p99, `p50 ${p50.toFixed(1)} ms`)
}

async function tunedLateness(comparison: Comparison, session: Session, size: Size): Promise<void> {
  const { results } = comparison
  const { contestant } = session
  const rows = contestant.isDuetime ? [LATENESS, LATENESS_TUNED] : [LATENESS_TUNED]
  if (contestant.isLibrary) await lateness(comparison, session, size, rows)
  else await session.bulk(size.stored)
  const { p99, p50 } = await session.lateness({ perSecond: 100, durationMs: size.latenessMs, byPost: true })
  results.add(LATENESS_POST, contestant, p99, `p50 ${p50.toFixed(1)} ms`)
  results.add(IDLE, contestant, await session.idleCpu(size.idleMs))
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
