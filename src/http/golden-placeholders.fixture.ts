// The placeholders of the golden examples: filled in where something is sent, matched where something is compared.

import assert from 'node:assert/strict'
import { parseInterval } from '../core/time/interval.ts'
import type { Millis } from '../core/timer/timer.ts'
import { VERSION } from '../runtime/version.ts'

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  instant: (value) => typeof value === 'string' && new Date(value).toISOString() === value,
  uuid: (value) => typeof value === 'string' && UUID.test(value),
  text: (value) => typeof value === 'string' && value !== '',
  number: (value) => typeof value === 'number',
  any: (value) => value !== undefined,
}

const PLACEHOLDER = /<([a-z]+)(?::([^<>]+))?>/g
const WHOLE = /^<([a-z]+)(?::([a-z][\w-]*))?>$/

export class Placeholders {
  readonly #startedAt: Millis
  readonly #known: Map<string, string>

  constructor({ startedAt, receiver }: { readonly startedAt: Millis; readonly receiver: string }) {
    this.#startedAt = startedAt
    this.#known = new Map([
      ['receiver', receiver],
      ['version', VERSION],
    ])
  }

  filledIn<T>(value: T): T {
    if (typeof value === 'string') return this.#text(value) as T
    if (Array.isArray(value)) return value.map((item: unknown) => this.filledIn(item)) as T
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, this.filledIn(child as unknown)])) as T
  }

  /** The same members and items, in objects in any order. */
  assertMatches(actual: unknown, expected: unknown, path = 'body'): void {
    if (typeof expected === 'string') return this.#assertText(actual, expected, path)
    if (Array.isArray(expected)) {
      assert.ok(Array.isArray(actual) && actual.length === expected.length, `${path}: ${JSON.stringify(actual)}`)
      for (const [index, item] of expected.entries()) this.assertMatches(actual[index], item, `${path}.${index}`)
    } else if (typeof expected === 'object' && expected !== null) {
      assert.ok(typeof actual === 'object' && actual !== null, `${path}: ${JSON.stringify(actual)}`)
      assert.deepEqual(
        Object.keys(actual).toSorted(),
        Object.keys(expected).toSorted(),
        `${path}: ${JSON.stringify(actual)}`,
      )
      const members = actual as Readonly<Record<string, unknown>>
      for (const [key, child] of Object.entries(expected)) this.assertMatches(members[key], child, `${path}.${key}`)
    } else {
      assert.deepEqual(actual, expected, path)
    }
  }

  #assertText(actual: unknown, expected: string, path: string): void {
    const [, kind = '', name] = WHOLE.exec(expected) ?? []
    const isKind = KINDS[kind]
    if (isKind === undefined) return assert.equal(actual, this.#text(expected), path)
    assert.ok(isKind(actual), `${path}: ${JSON.stringify(actual)} is not ${expected}`)
    if (name !== undefined) this.#known.set(name, String(actual))
  }

  #text(text: string): string {
    return text.replaceAll(PLACEHOLDER, (whole, name: string, offset: string | undefined) => {
      if (name === 'instant' && offset !== undefined) return this.#instant(offset)
      return this.#known.get(name) ?? whole
    })
  }

  #instant(offset: string): string {
    const ms = parseInterval(offset.slice(1))
    return new Date(this.#startedAt + (offset.startsWith('-') ? -ms : ms)).toISOString()
  }
}
