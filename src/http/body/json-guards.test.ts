import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sameJson } from '../../core/json/json-equality.ts'
import type { JsonText } from '../../core/timer/timer.ts'
import { surveyJson, topLevelKeys } from './json-guards.ts'

const bytes = (text: string) => Buffer.from(text)
const survey = (json: Buffer, limits = {}) => surveyJson(json, { depthMax: 64, valuesMax: Infinity, ...limits })
const isDeeperThan = (json: Buffer, depthMax: number) => survey(json, { depthMax }).fault?.kind === 'tooDeep'
const isDelicate = (text: string) => survey(bytes(text)).hasDelicateNumbers
const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`

test('one level more than the limit is too deep, the limit is not', () => {
  assert.equal(isDeeperThan(bytes(nested(66)), 64), true)
  assert.equal(isDeeperThan(bytes(nested(64)), 64), false)
})

test('brackets in strings do not count', () => {
  assert.equal(
    isDeeperThan(bytes(JSON.stringify({ a: '[{'.repeat(100), 'b"\\[': `\\"${'['.repeat(100)}` })), 64),
    false,
  )
  assert.equal(isDeeperThan(bytes(`["\\\\",${'['.repeat(100)}`), 64), true)
})

test('the depth of any JSON is judged as a walk over its value would', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, max) => {
      assert.equal(isDeeperThan(bytes(JSON.stringify(value)), max), depthOf(value) > max)
    }),
  )
})

test('a number that a double would change is noticed, whatever it looks like', () => {
  for (const number of [
    '9007199254740993',
    '-0',
    '-0.0',
    '1e400',
    '1E-400',
    '0.1234567890123456',
    '1.5e3',
    '123456789.12345678',
  ]) {
    for (const text of [number, `[${number}]`, `{"a":${number}}`, `[1, ${number} ,2]`])
      assert.equal(isDelicate(text), true, text)
  }
  assert.equal(
    isDelicate('{"a":[0,1,-12,100000000000000,0.25,true,false,null],"9007199254740993":"1e400, 12345678901234567890"}'),
    false,
  )
})

test('any number that is not noticed survives parsing and writing', () => {
  const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,4})?$/)
  const sameDecimal = (a: string, b: string) => sameJson(a as JsonText, b as JsonText)
  fc.assert(
    fc.property(digits, (number) => isDelicate(number) || sameDecimal(JSON.stringify(JSON.parse(number)), number)),
  )
})

test('more values than the limit are noticed, whatever kind they are of; what is in strings does not count', () => {
  const isTooMuch = (text: string, valuesMax: number) =>
    survey(bytes(text), { valuesMax }).fault?.kind === 'tooManyValues'
  for (const text of ['[[],[],[],[]]', '[1,2,3,4]', '{"a":1,"b":2}', '["a","b","c","d"]', '[{},{},{},{}]']) {
    assert.equal(isTooMuch(text, 3), true, text)
    assert.equal(isTooMuch(text, 10), false, text)
  }
  assert.equal(isTooMuch(JSON.stringify('[],'.repeat(100)), 3), false)
})

test('poisonous keys are found at any depth and in any spelling, and their names as values are harmless', () => {
  const find = (text: string) => {
    const { fault } = survey(bytes(text))
    return fault?.kind === 'forbiddenKey' ? fault.path : null
  }
  assert.equal(find('{"a":[{"__proto__":1}]}'), 'a.0.__proto__')
  assert.equal(find('{"b":[[1,[]],{"x":2}],"caf\\u00e9":[1,"[",{"y":{"__proto__" :1}}]}'), 'café.2.y.__proto__')
  assert.equal(find(String.raw`{"\u005f\u005fproto__":1}`), '__proto__')
  assert.equal(find(String.raw`{"\u005f\u005f\u0070\u0072\u006f\u0074\u006f\u005f\u005f":1}`), '__proto__')
  assert.equal(find('{"x":{"constructor" : {"a":1,"prototype":{}}}}'), 'x.constructor.prototype')
  // Of two members of one name JSON.parse drops the first, and the text of a payload has both.
  assert.equal(find('{"a":{"__proto__":1},"a":2}'), 'a.__proto__')
  const harmless = [
    '{"constructor":"me","a":"__proto__"}',
    '{"constructor":{"a":{"prototype":1}}}',
    '{"constructor":[{"prototype":1}]}',
    '{"prototype":1}',
  ]
  for (const text of [...harmless, String.raw`{"\x":"\u005f"}`]) assert.equal(find(text), null, text)
  assert.ok(find(`{"${'k'.repeat(5_000)}":{"__proto__":1}}`)!.length < 300)
})

test('a poisonous key is found in any JSON that has one, as a walk over its value would', () => {
  const walk = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).some((key) => key === '__proto__' || walk((value as Record<string, unknown>)[key]))
  const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'prototype', 'a'), fc.string())
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('tree')),
      fc.dictionary(key, tie('tree')),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const { fault } = survey(bytes(JSON.stringify(value)))
      if (walk(value)) assert.equal(fault?.kind, 'forbiddenKey')
      else if (fault !== null) assert.match(fault.kind === 'forbiddenKey' ? fault.path : '', /constructor\.prototype$/)
    }),
  )
})

test('each byte is looked at a bounded number of times, whatever the bytes are', () => {
  const hostile = {
    'empty arrays and an escape': (n: number) => `["\\u0061",${'[],'.repeat(n / 3)}1]`,
    'keys with escapes': (n: number) => `{${String.raw`"\u005f\u005fprot":1,`.repeat(n / 20)}"a":1}`,
    'keys that are nearly poisonous': (n: number) => `{${'"constructos":1,'.repeat(n / 16)}"a":1}`,
    'nested constructors': (n: number) => '{"constructor":{"a":1}},'.repeat(n / 24),
    'quotes that do not end': (n: number) => '"\\'.repeat(n / 2),
    backslashes: (n: number) => `"${'\\'.repeat(n)}`,
    'spaces behind strings': (n: number) => `["a"${' '.repeat(n)}]`,
    digits: (n: number) => '1'.repeat(n),
    'closing brackets': (n: number) => ']'.repeat(n),
  }
  for (const [name, write] of Object.entries(hostile)) {
    for (const size of [1_200, 60_000]) {
      const { buffer, reads } = counted(bytes(write(size)))
      survey(buffer)
      topLevelKeys(buffer)
      assert.ok(reads() <= 10 * size, `${name}: ${reads()} looks at ${size} bytes`)
    }
  }
})

/** The same bytes, and how often one of them was asked for. */
function counted(buffer: Buffer): { readonly buffer: Buffer; readonly reads: () => number } {
  let reads = 0
  const proxy = new Proxy(buffer, {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads++
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { buffer: proxy, reads: () => reads }
}

test('the names at the top level are found in whatever there is of a body', () => {
  const names = (text: string) => Object.keys(topLevelKeys(bytes(text)))
  assert.deepEqual(names(' {"a" : {"b":1}, "c":[{"d":"e"}], "f'), ['a', 'c'])
  assert.deepEqual(names(`{"a":${'['.repeat(1_000)}${']'.repeat(1_000)},"timer\\u005fid":`), ['a', 'timer_id'])
  for (const text of ['', '[{"a":1}]', '"a":1', '{"a"', '{"__proto__"']) assert.deepEqual(names(text), [])
})
