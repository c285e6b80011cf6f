import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Namespace } from '../../core/timer/timer.ts'
import { boundTo } from './bound-body.ts'

const ACME = 'acme' as Namespace

test('a body for another namespace is refused, wherever it says so', () => {
  for (const [verb, body] of [
    ['create', '{"namespace":"other"}'],
    ['create', '{"namespace":"acme","namespace":"other"}'],
    ['create', '{"\\u006eamespace":"other"}'],
    ['create', '{"namespace":7}'],
    ['batch', '{"timers":[{"id":"a"},{"namespace":"other"}]}'],
    ['batch', '{"timers":[],"timers":[{"namespace":"other"}]}'],
  ] as const) {
    assert.equal(boundTo(ACME, verb, body), null, body)
  }
})

test('a namespace that is null, or hidden behind another of the same name, is overruled', () => {
  for (const body of [
    '{"namespace":null}',
    '{"namespace":"other","namespace":"acme"}',
    '{"namespace":"other","namespace":null}',
  ]) {
    assert.equal((JSON.parse(boundTo(ACME, 'create', body)!) as { namespace: string }).namespace, 'acme', body)
  }
  const batch = boundTo(ACME, 'batch', '{"timers":[{"namespace":"other"}],"timers":[{"namespace":null}]}')!
  assert.deepEqual((JSON.parse(batch) as { timers: unknown }).timers, [{ namespace: 'acme' }])
})

test('everything else stays as it was written, numbers that a double would change included', () => {
  const delicate = '{"payload": {"n": 12345678901234567890, "e": 1e400}}\n'
  assert.equal(
    boundTo(ACME, 'create', delicate),
    '{"payload": {"n": 12345678901234567890, "e": 1e400},"namespace":"acme"}',
  )
  const own = ' {"namespace":"acme","payload":12345678901234567890}'
  assert.equal(boundTo(ACME, 'create', own), own)
  const batch = '{"timers": [{"payload":12345678901234567890}, 7 , {} ],"x":-0}'
  assert.equal(
    boundTo(ACME, 'batch', batch),
    '{"timers": [{"payload":12345678901234567890,"namespace":"acme"}, 7 , {"namespace":"acme"} ],"x":-0}',
  )
  for (const body of ['not json', '[1]', '7', '']) assert.equal(boundTo(ACME, 'create', body), body)
  assert.equal(boundTo(ACME, 'preview', '{"schedule":"PT1M"}'), '{"schedule":"PT1M"}')
})

test('whatever the body is, it says the same as before, and the namespace', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.array(fc.jsonValue()),
      fc.nat({ max: 3 }),
      (body, timers, indent) => {
        const { namespace: _, ...rest } = body
        const one = boundTo(ACME, 'create', JSON.stringify(rest, null, indent))!
        assert.deepEqual(JSON.parse(one), JSON.parse(JSON.stringify({ ...rest, namespace: 'acme' })))
        const many = boundTo(
          ACME,
          'batch',
          JSON.stringify({ ...rest, timers: timers.map((timer) => ({ timer })) }, null, indent),
        )!
        const expected = JSON.stringify(timers.map((timer) => ({ timer, namespace: 'acme' })))
        assert.deepEqual((JSON.parse(many) as { timers: unknown }).timers, JSON.parse(expected))
      },
    ),
  )
})
