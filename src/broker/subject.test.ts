import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectFault, subjectMatches } from './subject.ts'

test('subjects that cannot be published on are refused, each with its reason', () => {
  const faults: readonly (readonly [string, RegExp])[] = [
    ['', /empty/],
    ['a'.repeat(513), /512/],
    ['orders.*', /wildcards/],
    ['orders.>', /wildcards/],
    ['.orders', /dot/],
    ['orders.', /dot/],
    ['orders..paid', /dot/],
    ['orders paid', /spaces/],
    ['orders\tpaid', /spaces/],
    ['orders\r\nPUB x 0', /spaces/],
    ['orders\0', /spaces/],
    ['orders\ud800', /control/],
    ['$JS.API.STREAM.DELETE.X', /\$/],
    ['$SYS.REQ', /\$/],
    ['_INBOX.abc', /_INBOX/],
  ]
  for (const [subject, reason] of faults) assert.match(subjectFault(subject) ?? 'none', reason, JSON.stringify(subject))
})

test('words joined by dots are subjects, in any language', () => {
  for (const subject of ['a', 'timer.events', 'a-b_c.1', 'größe.日本', 'a.$b', 'x.{y}']) assert.equal(subjectFault(subject), null, subject)
})

test('a star stands for one word and an arrow for the rest', () => {
  assert.ok(subjectMatches('a.b', 'a.b'))
  assert.ok(subjectMatches('a.*', 'a.b'))
  assert.ok(subjectMatches('*.b', 'a.b'))
  assert.ok(subjectMatches('a.>', 'a.b.c'))
  for (const [pattern, subject] of [['a.b', 'a'], ['a', 'a.b'], ['a.*', 'a'], ['a.*', 'a.b.c'], ['a.>', 'a'], ['a.b', 'a.c']] as const) {
    assert.ok(!subjectMatches(pattern, subject), `${pattern} ${subject}`)
  }
})
