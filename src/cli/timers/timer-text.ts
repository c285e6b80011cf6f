// A timer as people read it.

import type { Timer } from '@duetime/client'
import { fromNow, measuredText, wallClock } from '../output/readable-time.ts'
import { facts } from '../output/table.ts'
import type { Cell, Column } from '../output/table.ts'
import { visible } from '../output/visible-text.ts'
import type { Style, Terminal } from '../command/terminal.ts'

const STATUS_STYLES: Readonly<Record<Timer['status'], Style>> = {
  pending: 'cyan',
  paused: 'yellow',
  executing: 'bold',
  completed: 'green',
  failed: 'red',
  canceled: 'dim',
}
const PAYLOAD_CHARS_SHOWN = 2_000

export function statusCell({ status }: Pick<Timer, 'status'>): Cell {
  return { text: status, style: STATUS_STYLES[status] }
}

/** The due time on the viewer's clocks, how long that is, and the same in UTC. */
export function dueText(
  timer: Pick<Timer, 'executeAt' | 'status'>,
  { clock, environment: { timeZone } }: Terminal,
): string {
  const at = Date.parse(timer.executeAt)
  const local = timeZone === 'UTC' ? '' : `${wallClock(at, timeZone)} ${timeZone}, `
  return `${local}${timer.executeAt} (${fromNow(at, clock.now())})`
}

export function timerText(timer: Timer, terminal: Terminal): string {
  const { clock } = terminal
  const at = (time: string) => `${time} (${fromNow(Date.parse(time), clock.now())})`
  const about = facts(
    [
      ['id', timer.id],
      ['namespace', timer.namespace],
      ['status', statusCell(timer)],
      ['due', dueText(timer, terminal)],
      timer.schedule === undefined
        ? null
        : ['schedule', `${timer.schedule}${timer.timeZone === undefined ? '' : ` in ${timer.timeZone}`}`],
      timer.iteration === undefined ? null : ['iteration', `${timer.iteration}`],
      timer.skipped === undefined ? null : ['skipped', `${timer.skipped} iterations were not fired`],
      ...(timer.running ?? []).map((one) => ['running', runningText(one, at)] as const),
      ['calls', callText(timer)],
      ...headerFacts(timer),
      timer.payload === undefined ? null : ['payload', shortened(JSON.stringify(timer.payload))],
      timer.metadata === undefined
        ? null
        : [
            'metadata',
            Object.entries(timer.metadata)
              .map(([key, value]) => `${key}=${String(value)}`)
              .join(' '),
          ],
      ['retries', retryText(timer)],
      ['created', at(timer.createdAt)],
      timer.updatedAt === timer.createdAt ? null : ['updated', at(timer.updatedAt)],
      timer.nextAttemptAt === undefined ? null : ['next attempt', at(timer.nextAttemptAt)],
      timer.lastError === undefined ? null : ['last error', { text: timer.lastError, style: 'red' }],
      ['version', `${timer.version}`],
      ['delivery id', timer.deliveryId],
    ],
    terminal,
  )
  return about + attemptsText(timer, terminal)
}

function runningText(
  { iteration, executeAt, attemptCount, nextAttemptAt }: NonNullable<Timer['running']>[number],
  at: (time: string) => string,
): string {
  const next = nextAttemptAt === undefined ? '' : `, attempt ${attemptCount + 1} at ${at(nextAttemptAt)}`
  return `iteration ${iteration}, due ${executeAt}${next}`
}

function retryText({ retryPolicy: { maxRetries, initialInterval, backoffMultiplier, maxInterval } }: Timer): string {
  return maxRetries === 0
    ? 'none'
    : `${maxRetries}, the first after ${initialInterval}, then × ${backoffMultiplier} up to ${maxInterval}`
}

function headerFacts({ callback }: Timer): (readonly [string, Cell])[] {
  return Object.entries(callback?.headers ?? {}).map(([name, value]) => ['header', `${name}: ${value}`])
}

function attemptsText({ attempts }: Timer, { paint, environment: { timeZone } }: Terminal): string {
  const lines = attempts.map(({ at, durationMs, outcome, statusCode, error, note }) => {
    const result = [outcome, statusCode, error === undefined ? null : visible(error)].filter(
      (one) => one !== undefined && one !== null,
    )
    const styled = paint(outcome === 'failed' ? 'red' : 'green', result.join(' '))
    return `  ${wallClock(Date.parse(at), timeZone)}  ${styled}  ${paint('dim', `after ${measuredText(durationMs)}${note === undefined ? '' : `; ${visible(note)}`}`)}\n`
  })
  return lines.length === 0 ? '' : `${paint('dim', 'attempts')}\n${lines.join('')}`
}

export function callText({ callback }: Pick<Timer, 'callback'>): string {
  if (callback === undefined) return 'nothing'
  return callback.type === 'http'
    ? callback.url
    : `nats ${callback.topic}${callback.key === undefined ? '' : `.${callback.key}`}`
}

function shortened(text: string): string {
  if (text.length <= PAYLOAD_CHARS_SHOWN) return text
  return `${text.slice(0, PAYLOAD_CHARS_SHOWN)}… (${text.length} characters; -o json shows all)`
}

export const TIMER_COLUMNS: readonly Column[] = [
  { title: 'NAMESPACE', shrinksTo: 8 },
  { title: 'ID', shrinksTo: 12 },
  { title: 'STATUS' },
  { title: 'DUE' },
  { title: 'AT', isDroppable: true },
  { title: 'CALLS', shrinksTo: 12 },
  { title: 'TRIES', align: 'right' },
  { title: 'LAST ERROR', shrinksTo: 10 },
]

/** All that a row shows: payloads, which may be large, are not even asked for. */
export const ROW_FIELDS = ['namespace', 'id', 'status', 'executeAt', 'callback', 'attemptCount', 'lastError'] as const
export type RowTimer = Pick<Timer, (typeof ROW_FIELDS)[number]>

/** With its namespace where timers of several are listed. */
export function timerRow(
  timer: RowTimer,
  isOneNamespace: boolean,
  { clock, environment: { timeZone } }: Terminal,
): readonly Cell[] {
  const at = Date.parse(timer.executeAt)
  return [
    isOneNamespace ? '' : timer.namespace,
    timer.id,
    statusCell(timer),
    fromNow(at, clock.now()),
    wallClock(at - (at % 1_000), timeZone),
    callText(timer),
    `${timer.attemptCount}`,
    timer.lastError === undefined ? '' : { text: timer.lastError, style: 'red' },
  ]
}
