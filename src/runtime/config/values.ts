// The kinds of values a setting can have: how each is read from text, and how it is described in --help and
// in the docs. `parse` throws a RangeError that completes the sentence "<setting> must be …"; it never
// repeats the text it was given, because that may be a secret.

import { parseInterval } from '../../core/time/interval.ts'

export type ValueType<T> = {
  /** For the docs table and --help: `whole number, 0 to 65535`. */
  readonly describes: string
  /** What --help shows behind the flag: `--port <number>`. */
  readonly placeholder: string
  readonly parse: (text: string) => T
}

export function integer(bounds: { readonly min: number; readonly max: number }): ValueType<number> {
  const describes = `whole number, ${bounds.min} to ${bounds.max}`
  return {
    describes,
    placeholder: 'number',
    parse: (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
      if (!(value >= bounds.min && value <= bounds.max)) throw new RangeError(`a ${describes}`)
      return value
    },
  }
}

/** A number, or `auto`: the service chooses. */
export function autoOr(type: ValueType<number>): ValueType<number | 'auto'> {
  return {
    describes: `\`auto\` or ${type.describes}`,
    placeholder: type.placeholder,
    parse: (text) => {
      if (text.toLowerCase() === 'auto') return 'auto'
      try {
        return type.parse(text)
      } catch (error) {
        throw new RangeError(`auto, or ${(error as Error).message}`, { cause: error })
      }
    },
  }
}

const TRUE = ['true', '1', 'yes', 'on']
const FALSE = ['false', '0', 'no', 'off']

export function boolean(): ValueType<boolean> {
  return {
    describes: 'true or false',
    placeholder: 'boolean',
    parse: (text) => {
      if (TRUE.includes(text.toLowerCase())) return true
      if (FALSE.includes(text.toLowerCase())) return false
      throw new RangeError('true or false')
    },
  }
}

export function choice<const T extends string>(...choices: readonly T[]): ValueType<T> {
  const describes = `one of ${choices.map((name) => `\`${name}\``).join(', ')}`
  return {
    describes,
    placeholder: 'word',
    parse: (text) => {
      const chosen = choices.find((name) => name === text.toLowerCase())
      if (chosen === undefined) throw new RangeError(`one of ${choices.join(', ')}`)
      return chosen
    },
  }
}

const SIZE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
}

export function bytes(bounds: { readonly min: string; readonly max: string }): ValueType<number> {
  const describes = `size, ${bounds.min} to ${bounds.max}`
  const [min, max] = [sizeOf(bounds.min), sizeOf(bounds.max)]
  return {
    describes,
    placeholder: 'size',
    parse: (text) => {
      const size = sizeOf(text)
      if (!(size >= min && size <= max))
        throw new RangeError(`a ${describes}: bytes, or a number with KiB, MiB or GiB, such as 256KiB`)
      return size
    },
  }
}

function sizeOf(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,15})\s?([a-z]*)$/i.exec(text) ?? []
  return Number(amount) * (SIZE_UNITS[unit.toLowerCase()] ?? NaN)
}

/** `bareUnit` is for settings whose documented form is a number without a unit; elsewhere such a number is a mistake. */
export function duration(bounds: {
  readonly min: string
  readonly max: string
  readonly bareUnit?: 'ms'
}): ValueType<number> {
  const describes = `duration, ${bounds.min} to ${bounds.max}`
  const [min, max] = [durationOf(bounds.min), durationOf(bounds.max)]
  return {
    describes: bounds.bareUnit === undefined ? describes : `${describes}; a number alone is in ${bounds.bareUnit}`,
    placeholder: 'duration',
    parse: (text) => {
      const ms = bounds.bareUnit !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : durationOf(text)
      if (!(ms >= min && ms <= max))
        throw new RangeError(`a ${describes}, with its unit: such as 500ms, 30s, 1h30m, 7d or PT30S`)
      return ms
    },
  }
}

const DAY_MS = 24 * 3_600_000

/** Days are for retention; the interval grammar of timers stops at hours, as Go's does. NaN for what is neither. */
function durationOf(text: string): number {
  const [, days = '0', rest = ''] = /^(?:(\d{1,7})d)?(.*)$/s.exec(text) ?? []
  if (text === '') return NaN
  try {
    return Number(days) * DAY_MS + (rest === '' ? 0 : parseInterval(rest))
  } catch {
    return NaN
  }
}

/** Separated by commas; spaces around an entry and empty entries do not count. */
export function list<T>(entry: ValueType<T>): ValueType<readonly T[]> {
  return {
    describes: `list of: ${entry.describes}`,
    placeholder: 'list',
    parse: (text) => entriesOf(text).map((one, index) => parseEntry(entry, one, index)),
  }
}

/** `key=value` pairs separated by commas; a key that comes twice is a mistake. */
export function pairs<K, V>(key: ValueType<K>, value: ValueType<V>): ValueType<ReadonlyMap<K, V>> {
  const describes = `list of: ${key.describes} \`=\` ${value.describes}`
  return {
    describes,
    placeholder: 'name=value,…',
    parse: (text) => {
      const map = new Map<K, V>()
      for (const [index, one] of entriesOf(text).entries()) {
        const at = one.indexOf('=')
        if (at < 0) throw new RangeError(`a ${describes}; entry ${index + 1} has no \`=\``)
        const name = parseEntry(key, one.slice(0, at).trim(), index)
        if (map.has(name)) throw new RangeError(`a list that names each entry once; entry ${index + 1} repeats a name`)
        map.set(name, parseEntry(value, one.slice(at + 1).trim(), index))
      }
      return map
    },
  }
}

function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

function parseEntry<T>(type: ValueType<T>, text: string, index: number): T {
  try {
    return type.parse(text)
  } catch (error) {
    throw new RangeError(`a list in which every entry is ${(error as Error).message} (entry ${index + 1} is not)`, {
      cause: error,
    })
  }
}
