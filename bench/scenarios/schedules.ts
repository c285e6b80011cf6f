// What CPU time a schedule costs on the thread that fires: reading one that was not seen before, and its next time. No server is needed. And
// what a backlog costs: a cycle with a million missed iterations, by the policies that jump over them.

import { createOf, specOf } from '../../src/core/rules/command.fixture.ts'
import { decide } from '../../src/core/rules/decide.ts'
import { stepAtDue } from '../../src/core/rules/due/due-step.ts'
import { firstFiring, nextIteration } from '../../src/core/time/firings.ts'
import { parseSchedule } from '../../src/core/time/schedule.ts'
import type { Timer } from '../../src/core/timer/timer.ts'
import type { Bench, Scenario } from '../harness/bench.ts'
import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'

export const schedules: Scenario = { name: 'schedules', run }

const NOW = Date.UTC(2026, 10, 16)
const ZONE = 'Europe/Berlin'
const TEXTS = 1_000
/** Of each kind as many as are read in a round, all different: a text that is known is not read again. */
const KINDS: Readonly<Record<string, (n: number) => string>> = {
  'cron, every few minutes': (n) => `${n % 60}/${1 + (n % 30)} ${Math.floor(n / 60)}-23 * * *`,
  'cron, a time on weekdays': (n) => `${n % 60} ${Math.floor(n / 60)} * * MON-FRI`,
  'cron, a list of days': (n) => `${n % 60} ${Math.floor(n / 60)} 1,15,L * *`,
  'a rule of iCalendar': (n) => `RRULE:FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=${n % 24};BYMINUTE=${n % 60};BYSECOND=${n % 50}`,
  'a cycle': (n) => `R/PT${n + 1}M`,
}

/** What makes the same schedule another text: spaces behind cron, an interval of a rule. A cycle is not remembered. */
function anew(kind: string, round: number): string {
  if (kind.startsWith('cron')) return ' '.repeat(round + 1)
  return kind.includes('rule') ? `;INTERVAL=${round + 1}` : ''
}

async function run(bench: Bench): Promise<Measurement[]> {
  const measured: Measurement[] = []
  const figure = (what: string, rounds: number[], atMost: number) =>
    measured.push(measurement({ scenario: 'schedules', what, unit: 'µs', rounds, target: { atMost } }))
  for (const [kind, text] of Object.entries(KINDS)) {
    const parse: number[] = []
    const next: number[] = []
    for (let round = 0; round < bench.rounds; round++) {
      // Texts that were read are remembered: each round has its own.
      const texts = Array.from({ length: TEXTS }, (_, n) => text(n) + anew(kind, round))
      parse.push(each(texts, (one) => parseSchedule(one, ZONE)))
      const timers = texts.map((one) => ({
        ...firstFiring(parseSchedule(one, ZONE), NOW),
        uuid: '0',
        schedule: one,
        timeZone: ZONE,
      }))
      next.push(each(timers, (timer) => nextIteration(timer, null)))
    }
    figure(`reading ${kind}`, parse, 20)
    figure(`the next time of ${kind}`, next, 20)
  }
  for (const catchUp of ['one', 'none', 3] as const)
    figure(`a million missed iterations, catchUp ${catchUp}`, backlog(bench, catchUp), 5_000)
  return measured
}

function backlog({ rounds }: Bench, catchUp: Timer['catchUp']): number[] {
  const context = { now: NOW, retentionMs: 0 }
  const { timer } = decide(null, createOf({ ...specOf('R/PT1S'), catchUp }), context)
  return Array.from({ length: rounds }, () =>
    each([timer], (one) => stepAtDue(one, { ...context, now: NOW + 1_000_000_000 })),
  )
}

function each<Item>(items: readonly Item[], work: (item: Item) => unknown): number {
  const before = process.cpuUsage()
  for (const item of items) work(item)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / items.length
}
