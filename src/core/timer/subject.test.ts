import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  namespaceOfWord,
  namespaceWord,
  subjectFault,
  subjectMatches,
  subjectPatternFault,
  SubjectPatterns,
} from './subject.ts'
import type { Namespace } from './timer.ts'

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
    ['_R_.abc', /broker itself/],
    ['_GR_.abc', /broker itself/],
  ]
  for (const [subject, reason] of faults) assert.match(subjectFault(subject) ?? 'none', reason, JSON.stringify(subject))
})

test('words joined by dots are subjects, in any language', () => {
  for (const subject of ['a', 'timer.events', 'a-b_c.1', 'größe.日本', 'a.$b', 'x.{y}'])
    assert.equal(subjectFault(subject), null, subject)
})

test('a star stands for one word and an arrow for the rest', () => {
  assert.ok(subjectMatches('a.b', 'a.b'))
  assert.ok(subjectMatches('a.*', 'a.b'))
  assert.ok(subjectMatches('*.b', 'a.b'))
  assert.ok(subjectMatches('a.>', 'a.b.c'))
  for (const [pattern, subject] of [
    ['a.b', 'a'],
    ['a', 'a.b'],
    ['a.*', 'a'],
    ['a.*', 'a.b.c'],
    ['a.>', 'a'],
    ['a.b', 'a.c'],
  ] as const) {
    assert.ok(!subjectMatches(pattern, subject), `${pattern} ${subject}`)
  }
})

test('patterns have whole words, and an arrow at the end only', () => {
  for (const text of ['', 'a..b', 'a*', 'a.>.b', '>a', 'a b', 'a.', '\0', 'a'.repeat(513)]) {
    assert.match(subjectPatternFault(text) ?? 'none', /words joined by dots/, JSON.stringify(text))
  }
  for (const text of ['>', '*', 'a.*.b', 'a.>', '*.>', 'größe']) assert.equal(subjectPatternFault(text), null, text)
})

test('several patterns are compared at once, and what is special in expressions is not special in subjects', () => {
  const patterns = new SubjectPatterns(['timer.commands', 'a.*.c', 'b.>', 'x+(y)|z.$^'])
  for (const subject of ['timer.commands', 'a.b.c', 'b.c.d', 'x+(y)|z.$^']) assert.ok(patterns.match(subject), subject)
  for (const subject of ['timerxcommands', 'timer.commands.x', 'xtimer.commands', 'b', 'z', ''])
    assert.ok(!patterns.match(subject), subject)
  assert.ok(!new SubjectPatterns([]).match(''))
})

test('a namespace is one word of a subject, and its own', () => {
  for (const namespace of ['a', 'a.b', 'a..b', 'A_b-c.']) {
    const word = namespaceWord(namespace as Namespace)
    assert.ok(!word.includes('.'))
    assert.equal(namespaceOfWord(word), namespace)
  }
  for (const word of ['', 'a%2eb', 'a%', '%252E', 'a%00'])
    assert.throws(() => namespaceOfWord(word), { code: 'INVALID_INPUT' }, word)
})
