// The SDK and the embedded library are packages of their own and each reads times for itself. They must read them alike:
// a program that moves from one to the other changes no timer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wireWhen } from '../sdks/typescript/src/time/when.ts'
import { readWhen } from '../src/cli/when/when.ts'
import { timingOf } from '../src/embedded/input/when.ts'

/** What is made of it, or that it is refused. */
function outcomeOf(read: (when: never) => object, when: object): object | 'refused' {
  try {
    return { ...read(when as never) }
  } catch {
    return 'refused'
  }
}

const amount = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constantFrom(0.5, 1.5, 2.25))
const unit = fc.constantFrom('y', 'mo', 'w', 'd', 'h', 'm', 's', 'ms')
const written = fc
  .array(fc.tuple(amount, unit), { minLength: 1, maxLength: 3 })
  .map((terms) => terms.map((term) => term.join('')).join(''))
const field = fc.constantFrom('years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds')
const fields = fc.dictionary(field, fc.oneof(amount, fc.constantFrom(-1, Infinity)), {
  minKeys: 1,
  maxKeys: 3,
  noNullPrototype: true,
})
const wrong = fc.constantFrom('', '3', '3 d', 'd3', '3x', '-3d', 'soon')
const duration = fc.oneof(written, fields, wrong)
const instant = fc.oneof(
  fc.date({ noInvalidDate: true }),
  fc.integer({ min: 0, max: 4e12 }),
  fc.constantFrom('2030-01-01T00:00:00Z'),
)
const when = fc.oneof(
  fc.record({ at: instant }),
  fc.record({ after: duration }),
  fc.record({ every: duration, times: fc.constantFrom(1, 3, 0, 1.5) }, { requiredKeys: ['every'] }),
  fc.record({ every: duration, from: instant }),
  fc.record({ after: duration, times: fc.constant(2) }),
)

test('the SDK, the embedded library and the command line take no time at all for now', () => {
  for (const after of ['0s', '0h0m', { seconds: 0 }, Temporal.Duration.from('PT0S'), 'PT0S'] as const) {
    for (const say of [wireWhen, timingOf]) assert.deepEqual(outcomeOf(say, { after }), { schedule: 'PT0S' })
  }
  for (const text of ['now', '0s', 'in 0s', 'in 0 seconds'])
    assert.deepEqual(readWhen(text, { now: 0, timeZone: 'UTC' }), { schedule: 'PT0S' })
  for (const say of [wireWhen, timingOf]) assert.equal(outcomeOf(say, { after: {} }), 'refused')
})

test('the SDK and the embedded library make the same of every way to say when', () => {
  fc.assert(
    fc.property(when, (one) => assert.deepEqual(outcomeOf(wireWhen, one), outcomeOf(timingOf, one))),
    { numRuns: 2_000 },
  )
})
