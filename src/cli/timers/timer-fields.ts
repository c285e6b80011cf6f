// What a timer shall be, from flags: shared by create and update.

import type { NewTimer } from '@duetime/client'
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { gathered, positiveInteger } from '../output/format.ts'
import type { Terminal } from '../command/terminal.ts'
import { UsageError } from '../command/usage-error.ts'
import type { Viewpoint } from '../when/moment.ts'
import { readInstant, readWhen } from '../when/when.ts'
import { readHeader, readLabel, readPayload } from './given-values.ts'

export type TimerFlags = {
  readonly at?: string
  readonly in?: string
  readonly every?: string
  readonly schedule?: string
  readonly timeZone?: string
  readonly startAt?: string
  readonly endAt?: string
  readonly maxFirings?: number
  readonly spread?: string
  readonly calendar?: string
  readonly onExcluded?: 'skip' | 'move'
  readonly dstGap?: 'shift' | 'skip'
  readonly dstOverlap?: 'first' | 'second' | 'both'
  readonly catchUp?: 'all' | 'one' | 'none' | { readonly max: number }
  readonly maxLateness?: string
  readonly overlap?: 'skip' | 'queue' | 'allow'
  readonly callback?: string
  readonly nats?: string
  readonly natsKey?: string
  readonly header?: readonly string[]
  readonly payload?: string
  readonly metadata?: readonly string[]
  readonly retries?: number
  readonly retryAfter?: string
  readonly retryMultiplier?: number
  readonly retryMaxInterval?: string
  readonly retryFor?: string
  readonly callbackTimeout?: string
}

export function addTimerOptions(command: Command): Command {
  const option = (group: string, made: Option) => command.addOption(made.helpGroup(`${group}:`))
  option('When', new Option('--at <when>', 'a moment: tomorrow 9:00, 2026-12-24T18:00:00Z'))
  option('When', new Option('--in <span>', 'a while from now: 5m, 1h30m, 2 days'))
  option(
    'When',
    new Option('--every <cycle>', 'again and again: 15m, "weekday at 9:00", "monday 8:30", "hour 10 times"'),
  )
  option('When', new Option('--schedule <text>', 'as the API takes it: PT5M, R3/PT10M, "0 9 * * MON-FRI"'))
  option(
    'When',
    new Option('--time-zone <zone>', 'whose clocks are meant, such as Europe/Berlin; the local ones by default'),
  )
  addFiringRulesOptions(command)
  option(
    'When',
    new Option(
      '--catch-up <which>',
      'iterations missed while the service was down: all, one, none or a number',
    ).argParser(catchUp),
  )
  option('When', new Option('--max-lateness <span>', 'what would begin later than this is missed'))
  option(
    'When',
    new Option('--overlap <how>', 'iterations that come while the last one is not over').choices([
      'skip',
      'queue',
      'allow',
    ]),
  )
  option('What', new Option('--callback <url>', 'the URL that gets a POST'))
  option('What', new Option('--nats <topic>', 'publish on this NATS subject instead'))
  option('What', new Option('--nats-key <key>', 'the last word of the subject'))
  option('What', new Option('--header <name:value>', 'sent with every delivery; may be repeated').argParser(gathered))
  option(
    'What',
    new Option('--payload <json>', 'JSON to deliver, @file to read it from a file, - to read it from standard input'),
  )
  option(
    'What',
    new Option(
      '--metadata <key=value>',
      'a label to find it by; key:=3 for a number or boolean; may be repeated',
    ).argParser(gathered),
  )
  option('Retries', new Option('--retries <number>', 'attempts after the first (default 3)').argParser(zeroOrMore))
  option('Retries', new Option('--retry-after <span>', 'wait before the first of them (default 30s)'))
  option(
    'Retries',
    new Option('--retry-multiplier <number>', 'each wait is so many times the last (default 2)').argParser(
      positiveNumber,
    ),
  )
  option('Retries', new Option('--retry-max-interval <span>', 'the longest wait (default 10m)'))
  option('Retries', new Option('--retry-for <span>', 'no attempt starts later after the first one (default 24h)'))
  return option('Retries', new Option('--callback-timeout <span>', 'how long the receiver may take (default 30s)'))
}

/** What can be said beside a schedule. */
export function addFiringRulesOptions(command: Command): Command {
  const option = (made: Option) => command.addOption(made.helpGroup('When:'))
  option(new Option('--start-at <when>', 'of what repeats: nothing fires before'))
  option(new Option('--end-at <when>', 'of what repeats: nothing fires after'))
  option(new Option('--max-firings <number>', 'of what repeats: so many iterations').argParser(positiveInteger))
  option(new Option('--spread <span>', 'up to so much later, by a part that follows from the id'))
  option(new Option('--calendar <name>', 'nothing fires when this calendar says so; see duetime calendars'))
  option(new Option('--on-excluded <how>', 'a firing that the calendar excludes').choices(['skip', 'move']))
  option(new Option('--dst-gap <how>', 'a time that clocks skip').choices(['shift', 'skip']))
  return option(
    new Option('--dst-overlap <which>', 'a time that clocks show twice').choices(['first', 'second', 'both']),
  )
}

export type TimerFields = Omit<
  NewTimer,
  'id' | 'namespace' | 'onConflict' | 'at' | 'after' | 'every' | 'times' | 'from'
>

type Words = { readonly when?: string | undefined; readonly callback?: string | undefined }
type RulesFields = Pick<TimerFields, 'dst' | 'startAt' | 'endAt' | 'maxFirings' | 'spread' | 'calendar'>
type WhenFields = Pick<TimerFields, 'executeAt' | 'schedule' | 'timeZone'> & RulesFields
type CallbackFields = Pick<TimerFields, 'callback' | 'callbackUrl'>

/** `when` and `callback` are the words without a flag. Only what was given is in the answer. */
export async function timerFields(flags: TimerFlags, words: Words, terminal: Terminal): Promise<TimerFields> {
  return {
    ...whenFields(flags, words.when, terminal),
    ...callbackFields(flags, words.callback),
    ...(flags.catchUp !== undefined && { catchUp: flags.catchUp }),
    ...(flags.maxLateness !== undefined && { maxLateness: flags.maxLateness }),
    ...(flags.overlap !== undefined && { overlap: flags.overlap }),
    ...(flags.payload !== undefined && { payload: await readPayload(flags.payload) }),
    ...(flags.metadata !== undefined && { metadata: Object.fromEntries(flags.metadata.map(readLabel)) }),
    ...retryFields(flags),
    ...(flags.callbackTimeout !== undefined && { callbackTimeout: flags.callbackTimeout }),
  }
}

export function whenFields(flags: TimerFlags, word: string | undefined, { clock, environment }: Terminal): WhenFields {
  const { at, every, schedule } = flags
  const inText = flags.in
  const given = [
    word,
    at,
    inText === undefined ? undefined : `in ${inText.replace(/^in /i, '')}`,
    every === undefined ? undefined : `every ${every.replace(/^every /i, '')}`,
    schedule,
  ]
  const said = given.filter((one) => one !== undefined)
  if (said.length > 1)
    throw new UsageError(`Say once when it fires: ${said.map((one) => `"${one}"`).join(' and ')} were given.`)
  const viewpoint = { now: clock.now(), timeZone: knownZone(flags.timeZone ?? environment.timeZone) }
  const rules = rulesFields(flags, viewpoint)
  if (said[0] === undefined) return rules
  const when = readWhen(said[0], viewpoint)
  // A schedule in the form of the API has no zone of its own; one that was asked for goes with it.
  return when.schedule !== undefined && when.timeZone === undefined && flags.timeZone !== undefined
    ? { ...when, ...rules, timeZone: flags.timeZone }
    : { ...when, ...rules }
}

function rulesFields(flags: TimerFlags, viewpoint: Viewpoint): RulesFields {
  const { startAt, endAt, maxFirings, spread, dstGap: gap, dstOverlap: overlap } = flags
  return {
    ...(startAt !== undefined && { startAt: readInstant(startAt, viewpoint) }),
    ...(endAt !== undefined && { endAt: readInstant(endAt, viewpoint) }),
    ...(maxFirings !== undefined && { maxFirings }),
    ...(spread !== undefined && { spread }),
    ...calendarFields(flags),
    ...((gap !== undefined || overlap !== undefined) && {
      dst: { ...(gap !== undefined && { gap }), ...(overlap !== undefined && { overlap }) },
    }),
  }
}

function calendarFields({ calendar: name, onExcluded }: TimerFlags): Pick<RulesFields, 'calendar'> {
  if (name === undefined && onExcluded !== undefined) throw new UsageError('--on-excluded belongs to --calendar.')
  return name === undefined ? {} : { calendar: { name, ...(onExcluded !== undefined && { onExcluded }) } }
}

function knownZone(timeZone: string): string {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timeZone).timeZoneId
  } catch {
    throw new UsageError(`The time zone "${timeZone}" is not known; use an IANA name such as Europe/Berlin.`)
  }
}

function callbackFields({ callback, nats, natsKey, header }: TimerFlags, word: string | undefined): CallbackFields {
  const urls = [word, callback].filter((one) => one !== undefined)
  if (urls.length + (nats === undefined ? 0 : 1) > 1)
    throw new UsageError('Say once what to call: one URL, or --nats with a subject.')
  const headers = header === undefined ? {} : { headers: Object.fromEntries(header.map(readHeader)) }
  if (nats !== undefined)
    return { callback: { type: 'nats', topic: nats, ...(natsKey !== undefined && { key: natsKey }), ...headers } }
  if (natsKey !== undefined) throw new UsageError('--nats-key belongs to --nats.')
  const [url] = urls
  if (url === undefined && header !== undefined) {
    throw new UsageError('--header belongs to a callback: say the URL again, since it is replaced as a whole.')
  }
  if (url === undefined) return {}
  return header === undefined ? { callbackUrl: url } : { callback: { type: 'http', url, ...headers } }
}

function retryFields(flags: TimerFlags): Pick<TimerFields, 'retryPolicy'> {
  const policy = {
    ...(flags.retries !== undefined && { maxRetries: flags.retries }),
    ...(flags.retryAfter !== undefined && { initialInterval: flags.retryAfter }),
    ...(flags.retryMultiplier !== undefined && { backoffMultiplier: flags.retryMultiplier }),
    ...(flags.retryMaxInterval !== undefined && { maxInterval: flags.retryMaxInterval }),
    ...(flags.retryFor !== undefined && { maxRetryAttemptsDuration: flags.retryFor }),
  }
  return Object.keys(policy).length === 0 ? {} : { retryPolicy: policy }
}

function catchUp(value: string): NonNullable<TimerFlags['catchUp']> {
  if (value === 'all' || value === 'one' || value === 'none') return value
  if (/^[1-9]\d?$|^100$/.test(value)) return { max: Number(value) }
  throw new InvalidArgumentError('It must be all, one, none, or a number from 1 to 100.')
}

function zeroOrMore(value: string): number {
  return value === '0' ? 0 : positiveInteger(value)
}

function positiveNumber(value: string): number {
  const read = Number(value)
  if (value.trim() === '' || !Number.isFinite(read) || read <= 0)
    throw new InvalidArgumentError('It must be a number above 0.')
  return read
}
