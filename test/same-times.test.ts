// The SDK and the embedded library are packages of their own and each reads times for itself. They must read them alike:
// a program that moves from one to the other changes no timer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wireWhen } from '../sdks/typescript/src/when.ts'
import type { When } from '../sdks/typescript/src/when.ts'
import { timingOf } from '../src/embedded/when.ts'

/** What is made of it, or that it is refused. */
function outcomeOf(read: (when: When) => object, when: When): object | 'refused' {
  try {
    return { ...read(when) }
  } catch {
    return 'refused'
  }
}

const amount = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constantFrom(0.5, 1.5, 2.25))
const unit = fc.constantFrom('y', 'mo', 'w', 'd', 'h', 'm', 's', 'ms')
const written = fc.array(fc.tuple(amount, unit), { minLength: 1, maxLength: 3 }).map((terms) => terms.map((term) => term.join('')).join(''))
const field = fc.constantFrom('years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds')
const fields = fc.dictionary(field, fc.oneof(amount, fc.constantFrom(-1, Infinity)), { minKeys: 1, maxKeys: 3, noNullPrototype: true })
const wrong = fc.constantFrom('', '3', '3 d', 'd3', '3x', '-3d', 'soon')
const duration = fc.oneof(written, fields, wrong)
const instant = fc.oneof(fc.date({ noInvalidDate: true }), fc.integer({ min: 0, max: 4e12 }), fc.constantFrom('2030-01-01T00:00:00Z'))
const when: fc.Arbitrary<When> = fc.oneof(
  fc.record({ at: instant }),
  fc.record({ after: duration }),
  fc.record({ every: duration, times: fc.constantFrom(1, 3, 0, 1.5) }, { requiredKeys: ['every'] }),
  fc.record({ every: duration, from: instant }),
  fc.record({ after: duration, times: fc.constant(2) }),
)

test('of no length at all the SDK asks what was meant, and the library takes it for now', () => {
  assert.equal(outcomeOf(wireWhen, { after: '0s' }), 'refused')
  assert.deepEqual(outcomeOf(timingOf, { after: '0s' }), { schedule: 'PT0S' })
})

test('the SDK and the embedded library make the same of every other way to say when', () => {
  fc.assert(fc.property(when, (one) => assert.deepEqual(outcomeOf(wireWhen, one), outcomeOf(timingOf, one))), { numRuns: 2_000 })
})
