// The lines of `duetime watch`.

import type { LiveEvent, LiveFiring } from '@duetime/client'
import { measuredText, timeOfDay, wallClock } from '../output/readable-time.ts'
import { visible, widthOf } from '../output/visible-text.ts'
import { counted } from '../transfer/progress-bar.ts'
import type { Terminal } from '../command/terminal.ts'

/** The lateness is null for another attempt of the same firing, which begins when the policy says. */
export type FiringSample = Omit<LiveFiring, 'latenessMs'> & { readonly latenessMs: number | null }
type ChangeSample = Extract<LiveEvent, { type: 'change' }>['data']
type Pulse = Extract<LiveEvent, { type: 'overview' }>['data']

const NAME_CELLS = 32
const LATE_CELLS = 8
const LATE_MS = 100

export function firingLine(sample: FiringSample, { paint, environment: { timeZone } }: Terminal): string {
  const { firedAt, latenessMs, outcome, statusCode, error, attempt, durationMs, nextAt } = sample
  const late = (latenessMs === null ? '' : `+${measuredText(latenessMs)}`).padStart(LATE_CELLS)
  const result = [
    outcome,
    ...(statusCode === null ? [] : [statusCode]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
  ].join(' ')
  const rest = [
    `in ${measuredText(durationMs)}`,
    error === null ? null : visible(error),
    nextAt !== null ? `next ${timeOfDay(Date.parse(nextAt), timeZone)}` : null,
  ]
  const words = [
    paint('dim', timeOfDay(Date.parse(firedAt), timeZone)),
    nameText(sample),
    latenessMs !== null && latenessMs > LATE_MS ? paint('yellow', late) : late,
    paint(isFailure(sample) ? 'red' : 'green', result),
    paint('dim', rest.filter((one) => one !== null).join('  ')),
  ]
  return `${words.join('  ').trimEnd()}\n`
}

/** `retried` is an attempt that failed and has another one coming. */
export function isFailure({ outcome }: Pick<FiringSample, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'retried'
}

export function changeLine(sample: ChangeSample, { paint, environment: { timeZone } }: Terminal): string {
  const due = paint('dim', `due ${wallClock(Date.parse(sample.dueAt), timeZone)}`)
  const at = paint('dim', timeOfDay(Date.parse(sample.at), timeZone))
  return `${[at, nameText(sample), ' '.repeat(LATE_CELLS), paint('cyan', sample.type), due].join('  ')}\n`
}

function nameText({ namespace, id }: { readonly namespace: string; readonly id: string }): string {
  const name = visible(`${namespace}/${id}`)
  return name + ' '.repeat(Math.max(NAME_CELLS - widthOf(name), 0))
}

export function pulseText({ counts, gauges, lastSecond, latenessLastMinute }: Pulse): string {
  const parts = [
    `${counted(lastSecond.fired)} fired in the last second`,
    gauges === null ? null : `${counted(gauges.inFlight)} under way`,
    latenessLastMinute.p99 === null ? null : `p99 ${measuredText(latenessLastMinute.p99)} late`,
    `${counted(counts.pending)} pending`,
  ]
  return parts.filter((part) => part !== null).join(' · ')
}

/** What was seen, for the line at the end. */
export class Tally {
  seen = 0
  failed = 0
  latestMs = 0

  add(sample: FiringSample): void {
    this.seen++
    if (isFailure(sample)) this.failed++
    this.latestMs = Math.max(this.latestMs, sample.latenessMs ?? 0)
  }
}

export function summaryText({ seen, failed, latestMs }: Tally): string {
  if (seen === 0) return 'Nothing fired.\n'
  const attempts = `${counted(seen)} ${seen === 1 ? 'attempt' : 'attempts'}`
  return `${attempts} seen, ${failed === 0 ? 'none' : counted(failed)} failed, at most ${measuredText(latestMs)} late.\n`
}
