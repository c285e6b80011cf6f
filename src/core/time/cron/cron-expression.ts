// Cron, as clients write it, read into sets of numbers. The grammar is that of croner, which is that of Vixie cron with seconds
// and with L, W and #. Own code, because an error has to tell the character that is wrong, so that forms can point at it.

import { invalidSchedule } from '../../errors.ts'
import { remembered } from '../recurring/kept-readings.ts'

/** A mask is a set of small numbers: bit n is set when n is in it. */
export type CronExpression = {
  /** Ascending. */
  readonly seconds: readonly number[]
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly months: number
  readonly days: {
    readonly mask: number
    /** `L`: the last day. */
    readonly last: boolean
    /** `15W`: the weekday nearest to that day of the month; `LW` is 0, the last weekday of the month. */
    readonly nearest: readonly number[]
  } | null
  readonly weekdays: {
    readonly mask: number
    /** `5L`: the last Friday of the month. */
    readonly last: number
    /** `5#2`: the second Friday. */
    readonly nth: readonly { readonly weekday: number; readonly nth: number }[]
  } | null
  /** Its minutes or hours begin with *, so it is meant to go on evenly, also in the hour that clocks show twice. */
  readonly isEven: boolean
}

type Field = { readonly name: string; readonly min: number; readonly max: number; readonly names?: readonly string[] }

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const SECOND: Field = { name: 'second', min: 0, max: 59 }
const MINUTE: Field = { name: 'minute', min: 0, max: 59 }
const HOUR: Field = { name: 'hour', min: 0, max: 23 }
const DAY: Field = { name: 'day of the month', min: 1, max: 31 }
const MONTH: Field = { name: 'month', min: 1, max: 12, names: MONTHS }
/** 7 is Sunday, too. */
const WEEKDAY: Field = { name: 'day of the week', min: 0, max: 7, names: WEEKDAYS }

const ALL = new Map(
  [SECOND, MINUTE, HOUR, MONTH].map((field) => [
    field,
    Array.from({ length: field.max - field.min + 1 }, (_, index) => field.min + index),
  ]),
)

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** A part of the text with its place in it. */
type Part = { readonly text: string; readonly at: number }

/** Whether somebody who wrote this meant cron, right or wrong. */
export function looksLikeCron(text: string): boolean {
  if (!text.includes(' ')) return text.startsWith('@')
  return /^\s*[\d*?,/A-Za-z#-]+(?:\s+[\d*?,/A-Za-z#-]+){3,}\s*$/.test(text)
}

export const parseCron = remembered(readCron)

function readCron(text: string): CronExpression {
  const nickname = NICKNAMES[text.toLowerCase()]
  if (nickname !== undefined) return readCron(nickname)
  if (text.startsWith('@')) {
    throw wrong(text, 0, `"${text}" is not a known word; write one of ${Object.keys(NICKNAMES).join(', ')}`)
  }
  const fields = partsOf(text)
  if (fields.length < 5 || fields.length > 6) {
    const place = fields[6]?.at ?? text.length
    throw wrong(
      text,
      place,
      `cron has 5 fields (minute, hour, day of the month, month, day of the week) or 6 with the seconds first, and this has ${fields.length}`,
    )
  }
  const [second, minute, hour, day, month, weekday] = (
    fields.length === 6 ? fields : [{ text: '0', at: 0 }, ...fields]
  ) as [Part, Part, Part, Part, Part, Part]
  return {
    seconds: numbersIn(second, SECOND, text),
    minutes: numbersIn(minute, MINUTE, text),
    hours: numbersIn(hour, HOUR, text),
    months: maskOf(numbersIn(month, MONTH, text)),
    days: daysIn(day, text),
    weekdays: weekdaysIn(weekday, text),
    isEven: minute.text.startsWith('*') || hour.text.startsWith('*'),
  }
}

const SPACE = 32 // and what is below it; behind the end there is NaN

function partsOf(text: string): Part[] {
  const parts: Part[] = []
  for (let at = 0, end = 0; at < text.length; at = end + 1) {
    for (end = at; text.charCodeAt(end) > SPACE;) end++
    if (end > at) parts.push({ text: text.slice(at, end), at })
  }
  return parts
}

function daysIn(part: Part, text: string): CronExpression['days'] {
  if (isAny(part)) return null
  const nearest: number[] = []
  let last = false
  const rest = itemsOf(part).filter((item) => {
    const word = item.text.toUpperCase()
    if (word === 'L') last = true
    else if (word === 'LW') nearest.push(0)
    else if (/^\d+W$/.test(word)) nearest.push(numberIn({ ...item, text: word.slice(0, -1) }, DAY, text))
    else return true
    return false
  })
  return { mask: maskOf(rest.flatMap((item) => itemNumbers(item, DAY, text))), last, nearest }
}

function weekdaysIn(part: Part, text: string): CronExpression['weekdays'] {
  if (isAny(part)) return null
  const nth: { weekday: number; nth: number }[] = []
  let last = 0
  const rest = itemsOf(part).filter((item) => {
    const [, weekday, ending] = /^([A-Za-z]{3}|\d+)(#.*|L)$/i.exec(item.text) ?? []
    if (weekday === undefined || ending === undefined) return true
    const day = numberIn({ text: weekday, at: item.at }, WEEKDAY, text) % 7
    if (/^(?:#?L)$/i.test(ending)) last |= 1 << day
    else nth.push({ weekday: day, nth: occurrenceIn(ending, item.at + weekday.length, text) })
    return false
  })
  const mask = maskOf(rest.flatMap((item) => itemNumbers(item, WEEKDAY, text)).map((day) => day % 7))
  return { mask, last, nth }
}

function occurrenceIn(ending: string, at: number, text: string): number {
  if (/^#[1-5]$/.test(ending)) return Number(ending[1])
  throw wrong(text, at, 'after # write 1 to 5 for which of the month it is, or L for the last')
}

/** `?` is what Quartz writes for a day that the other field of days decides about. */
function isAny({ text }: Part): boolean {
  return text === '*' || text === '?'
}

function numbersIn(part: Part, field: Field, text: string): readonly number[] {
  if (part.text === '*') return ALL.get(field)!
  const items = itemsOf(part)
  if (items.length === 1) return itemNumbers(items[0]!, field, text)
  const numbers = new Set(items.flatMap((item) => itemNumbers(item, field, text)))
  return [...numbers].toSorted((a, b) => a - b)
}

function itemsOf(part: Part): readonly Part[] {
  const { text, at } = part
  if (!text.includes(',')) return [part]
  let place = at
  return text.split(',').map((item) => {
    const one = { text: item, at: place }
    place += item.length + 1
    return one
  })
}

/** `*`, `5`, `MON`, `1-5`, and each of them with a step. */
function itemNumbers(item: Part, field: Field, text: string): number[] {
  const slash = item.text.indexOf('/')
  const range = slash < 0 ? item : { text: item.text.slice(0, slash), at: item.at }
  const step = slash < 0 ? 1 : stepIn({ text: item.text.slice(slash + 1), at: item.at + slash + 1 }, field, text)
  const { from, to } = rangeIn(range, field, text, slash >= 0)
  const numbers: number[] = []
  for (let value = from; value <= to; value += step) numbers.push(value)
  return numbers
}

function rangeIn(
  part: Part,
  field: Field,
  text: string,
  isStepped: boolean,
): { readonly from: number; readonly to: number } {
  if (part.text === '*') return { from: field.min, to: field === WEEKDAY ? 6 : field.max }
  const dash = part.text.indexOf('-')
  if (dash < 0) {
    const from = numberIn(part, field, text)
    return { from, to: isStepped ? field.max : from }
  }
  const from = numberIn({ text: part.text.slice(0, dash), at: part.at }, field, text)
  const end = { text: part.text.slice(dash + 1), at: part.at + dash + 1 }
  const to = numberIn(end, field, text)
  // A week that is written as a range may end with its Sunday.
  if (field === WEEKDAY && to === 0 && from > 0) return { from, to: 7 }
  if (from <= to) return { from, to }
  const split = `${part.text.slice(0, dash)}-${field.max},${field.min}-${end.text}`
  throw wrong(text, end.at, `a range goes up, and ${end.text} is before ${part.text.slice(0, dash)}; write ${split}`)
}

function stepIn(part: Part, field: Field, text: string): number {
  const step = /^\d{1,2}$/.test(part.text) ? Number(part.text) : 0
  if (step >= 1 && step <= field.max) return step
  throw wrong(text, part.at, `a step is a number from 1 to ${field.max}, not "${part.text}"`)
}

function numberIn(part: Part, field: Field, text: string): number {
  const named = field.names?.indexOf(part.text.toUpperCase()) ?? -1
  if (named >= 0) return named + field.min
  if (/^\d{1,2}$/.test(part.text)) {
    const value = Number(part.text)
    if (value >= field.min && value <= field.max) return value
    throw wrong(text, part.at, `the ${field.name} is ${field.min} to ${field.max}, not ${part.text}`)
  }
  const names = field.names === undefined ? '' : ` or one of ${field.names.join(', ')}`
  const given = part.text === '' ? 'nothing stands here' : `"${part.text}" is neither`
  throw wrong(
    text,
    part.at + firstStrange(part.text),
    `${given}: the ${field.name} is * or a number from ${field.min} to ${field.max}${names}`,
  )
}

/** The first character that no number has, if the text begins as one. */
function firstStrange(text: string): number {
  const digits = /^\d*/.exec(text)![0].length
  return digits < text.length ? digits : 0
}

function maskOf(numbers: readonly number[]): number {
  return numbers.reduce((mask, value) => mask | (1 << value), 0)
}

/** `position` counts characters from 0. */
function wrong(text: string, position: number, why: string): Error {
  return invalidSchedule('format', `"${text}", character ${position + 1}: ${why}.`, text, position)
}
