// What each system is asked to do, in which order, how often. Before the rounds that count there is a small one that does not:
// files are read and disks wake up in it. Whatever a system does has a time limit; what it has not done by then is left out of
// its rows.

import { foreignLoad } from '../harness/foreign-load.ts'
import { Results } from '../report/peers/results.ts'
import type { Part } from '../report/peers/results.ts'
import { day, defaults, growth, rates, recovery, tunedLateness } from './measures.ts'
import { Session } from './session.ts'
import { FULL, QUICK } from './sizes.ts'
import type { Size } from './sizes.ts'
import type { Settings } from './system.ts'
import type { Contestant } from './systems.ts'

type Step = readonly [PartName, (runner: Runner) => Promise<void>]

const SECONDS_MAX = 43 * 60 // the whole run is to be over in 45 minutes
const FOREIGN_MAX = 0.1
const QUIET_WITHIN_SECONDS = 20

export type Run = {
  readonly contestants: readonly Contestant[]
  readonly results: Results
  readonly isQuick: boolean
  /** Parts of the comparison to run; all, where none is named. */
  readonly parts: readonly PartName[] | null
  readonly log: (line: string) => void
}

export const PARTS = ['rates', 'lateness', 'recovery', 'day', 'growth'] as const
export type PartName = (typeof PARTS)[number]

/**
 * Rounds of one part are far from each other, so that a slow quarter of an hour of the machine is not the median. The last rounds
 * are left out where there is no time for them.
 */
export async function runAll(run: Run): Promise<readonly Part[]> {
  const size = run.isQuick ? QUICK : FULL
  if (!run.isQuick) await warmUp(run)
  const runner = new Runner(run, size)
  const steps: readonly Step[] = [
    ['rates', ratesRound],
    ['lateness', defaultSettings],
    ['lateness', latenessRound],
    ['recovery', recoveries],
    ...repeated(size.rounds - 2, ['rates', ratesRound] as const),
    ['day', days],
    ['growth', growths],
    ...repeated(size.latenessRounds - 1, ['lateness', latenessRound] as const),
    ...repeated(size.rounds > 1 ? 1 : 0, ['rates', ratesRound] as const),
  ]
  for (const [part, step] of steps) if (run.parts?.includes(part) ?? true) await step(runner)
  return runner.parts
}

async function warmUp(run: Run): Promise<void> {
  const runner = new Runner({ ...run, results: new Results() }, QUICK)
  await runner.each('warming up', 'tuned', runner.contestants, (session) => rates(runner.results, session, QUICK))
}

function ratesRound(runner: Runner): Promise<void> {
  return runner.each('rates', 'tuned', runner.contestants, (session) => rates(runner.results, session, runner.size))
}

/** Duetime has nothing to tune: it is measured once for both. */
function defaultSettings(runner: Runner): Promise<void> {
  const peers = runner.contestants.filter(({ isDuetime }) => !isDuetime)
  return runner.each('default settings', 'default', peers, (session) => defaults(runner.results, session, runner.size))
}

function latenessRound(runner: Runner): Promise<void> {
  return runner.each('lateness', 'tuned', runner.contestants, (session) =>
    tunedLateness(runner.results, session, runner.size),
  )
}

function recoveries(runner: Runner): Promise<void> {
  return runner.each('recovery', 'default', runner.contestants, (session) =>
    recovery(runner.results, session, runner.size),
  )
}

function days(runner: Runner): Promise<void> {
  const libraries = runner.contestants.filter(({ isLibrary }) => isLibrary)
  return runner.each('a day', 'tuned', libraries, (session) => day(runner.results, session, runner.size))
}

function growths(runner: Runner): Promise<void> {
  const { growth: sizes } = runner.size
  const able = runner.contestants.filter(({ atMost }) => (atMost?.stored ?? Infinity) >= sizes.many)
  return runner.pairs(`${sizes.many.toLocaleString('en-US')} stored`, able, (few, many) =>
    growth(runner.results, { few, many }, sizes),
  )
}

function repeated<T>(times: number, one: T): T[] {
  return Array.from({ length: Math.max(times, 0) }, () => one)
}

function withShare(contestant: Contestant, { shareOfCapacity: share }: Size): Contestant {
  const { stored = Infinity, dueAtOnce = Infinity, ...rest } = contestant.atMost ?? {}
  return { ...contestant, atMost: { ...rest, stored: stored * share, dueAtOnce: dueAtOnce * share } }
}

class Runner {
  readonly parts: Part[] = []
  readonly results: Results
  readonly size: Size
  readonly contestants: readonly Contestant[]
  readonly #log: (line: string) => void
  readonly #startedAt = performance.now()

  constructor({ results, contestants, log }: Run, size: Size) {
    this.results = results
    this.size = size
    this.contestants = contestants.map((contestant) => withShare(contestant, size))
    this.#log = log
  }

  /** One system after the other, each with a database of its own. */
  each(
    title: string,
    settings: Settings,
    contestants: readonly Contestant[],
    measure: (session: Session) => Promise<void>,
  ): Promise<void> {
    return this.#part(title, contestants, (contestant) =>
      this.#within([this.#open(contestant, settings)], ([session]) => measure(session!)),
    )
  }

  /** The same with two databases at a time. */
  pairs(
    title: string,
    contestants: readonly Contestant[],
    measure: (one: Session, other: Session) => Promise<void>,
  ): Promise<void> {
    return this.#part(title, contestants, (contestant) =>
      this.#within([this.#open(contestant, 'tuned'), this.#open(contestant, 'tuned')], ([one, other]) =>
        measure(one!, other!),
      ),
    )
  }

  async #part(
    title: string,
    contestants: readonly Contestant[],
    measure: (contestant: Contestant) => Promise<void>,
  ): Promise<void> {
    const before = this.parts.findLast((part) => part.title.startsWith(title))
    if (before !== undefined && secondsSince(this.#startedAt) + before.seconds > SECONDS_MAX)
      return this.#log(`${title}: no time for another round`)
    const round = this.parts.filter((part) => part.title.startsWith(title)).length + 1
    const partAt = performance.now()
    const left = [...contestants]
    let busiest = 0
    const one = async () => {
      for (let contestant = left.shift(); contestant !== undefined; contestant = left.shift()) {
        if (this.size.atOnce === 1) busiest = Math.max(busiest, await this.#quiet())
        const startedAt = performance.now()
        const failure = await measure(contestant).then(() => '', failureText)
        this.#log(`${title}: ${contestant.name}, ${secondsSince(startedAt).toFixed(1)} s${failure}`)
      }
    }
    await Promise.all(Array.from({ length: this.size.atOnce }, one))
    this.parts.push({
      title: round === 1 ? title : `${title}, round ${round}`,
      seconds: Math.round(secondsSince(partAt)),
      foreignLoad: busiest,
    })
  }

  /** Waits a while for other programs to end; how much of the machine they use then. */
  async #quiet(): Promise<number> {
    const startedAt = performance.now()
    for (;;) {
      const load = await foreignLoad()
      if (load <= FOREIGN_MAX || secondsSince(startedAt) > QUIET_WITHIN_SECONDS) return load
      this.#log(`waiting: something else uses ${Math.round(load * 100)} % of this machine`)
    }
  }

  #open(contestant: Contestant, settings: Settings): Promise<Session> {
    const { leadMs, lateMaxMs } = this.size
    return Session.open(contestant, { settings, leadMs, lateMaxMs })
  }

  async #within(
    opening: readonly Promise<Session>[],
    measure: (sessions: readonly Session[]) => Promise<void>,
  ): Promise<void> {
    const opened = await Promise.allSettled(opening)
    const sessions = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const timeout = setTimeout(() => sessions.forEach((session) => void session.abandon()), this.size.withinMs)
    try {
      for (const one of opened) if (one.status === 'rejected') throw one.reason
      await measure(sessions)
    } finally {
      clearTimeout(timeout)
      for (const session of sessions) await session.close()
    }
  }
}

function failureText(error: unknown): string {
  return `: could not do it: ${error instanceof Error ? error.message : String(error)}`
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000
}
