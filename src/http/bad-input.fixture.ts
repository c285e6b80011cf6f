// What a client can get wrong, for every route of a contract: whatever it sends, the answer is a 4xx in the contract's
// own shape that names the field, and the server goes on. A contract joins with a table of its routes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { CONTRACTS } from './contracts/all-contracts.ts'
import { testServer } from './test-server.fixture.ts'
import type { Answer, TestServer } from './test-server.fixture.ts'

export type RouteCase = {
  /** Default POST. */
  readonly method?: 'POST' | 'PUT'
  readonly path: string
  readonly schema: TSchema
  /** A body that the route takes. */
  readonly valid: Readonly<Record<string, unknown>>
  /** Fields of `valid` that it does not take the body without, and the field that is named then. */
  readonly needed: Readonly<Record<string, string>>
  /** Fields that must not be in the past. */
  readonly future: readonly string[]
}

export type BadInputSuite = {
  readonly contract: string
  readonly routes: readonly RouteCase[]
  /** Fails unless the answer has the contract's error shape; the field it names, if it names one. */
  readonly errorField: (answer: Answer) => string | undefined
}

const RUNS = { numRuns: 15 }
const TOO_LONG = 'x'.repeat(20_000)
const OTHER_TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'json',
]

export function badInputSuite({ contract, routes, errorField }: BadInputSuite): void {
  for (const route of routes) {
    test(`${contract} ${route.method ?? 'POST'} ${route.path} refuses every kind of bad input and stays healthy`, async (t) => {
      const server = await testServer(t, { contracts: CONTRACTS })
      const refuse = refusals(server, route, errorField)
      await t.test('malformed JSON', () => malformed(route, refuse))
      await t.test('bodies that are no objects', () => noObjects(refuse))
      await t.test('wrong types', () => wrongTypes(route, refuse))
      await t.test('unknown fields', () => unknownFields(route, refuse))
      await t.test('missing fields', () => missingFields(route, refuse))
      await t.test('over-long values', () => overLong(route, refuse))
      await t.test('NUL and half surrogate pairs', () => unstorable(route, refuse))
      await t.test('past dates', () => pastDates(route, refuse))
      await t.test('other content types', () => contentTypes(route, refuse))
      await t.test('a body of 10 MB', () => refuse('x'.repeat(10_000_000), { status: 413 }))
      await t.test('deep nesting', () => nesting(route, refuse))
      await t.test('keys that poison prototypes', () => poison(route, refuse))
      await t.test('anything in any field is taken or refused, never a failure', () =>
        anything(server, route, errorField),
      )
      assert.equal((await server.request('/healthz')).status, 200)
      assert.equal((await server.request('/readyz')).status, 200)
    })
  }
}

type Expected = { readonly status?: number; readonly field?: string; readonly contentType?: string }
type Refuse = (body: unknown, expected?: Expected) => Promise<void>

function send(
  server: TestServer,
  { method = 'POST', path }: RouteCase,
  body: unknown,
  contentType = 'application/json',
): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body)
  return server.request(path, { method, body: raw, headers: { 'content-type': contentType } })
}

function refusals(server: TestServer, route: RouteCase, errorField: BadInputSuite['errorField']): Refuse {
  return async (body, { status = 400, field, contentType = 'application/json' } = {}) => {
    const answer = await send(server, route, body, contentType)
    assert.equal(answer.status, status, `${answer.status} ${answer.text}`)
    const named = errorField(answer)
    // A key that is never accepted may stand deeper: `constructor.prototype` in an unknown `constructor`.
    if (field !== undefined && !named?.startsWith(`${field}.`)) assert.equal(named, field, answer.text)
  }
}

async function malformed({ valid }: RouteCase, refuse: Refuse): Promise<void> {
  const text = JSON.stringify(valid)
  await refuse(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: text.length - 1 }), (length) => refuse(text.slice(0, length))),
    RUNS,
  )
}

function noObjects(refuse: Refuse): Promise<void> {
  const notAnObject = fc
    .jsonValue()
    .filter((value) => typeof value !== 'object' || value === null || Array.isArray(value))
  return fc.assert(
    fc.asyncProperty(notAnObject, (value) => refuse(JSON.stringify(value))),
    RUNS,
  )
}

async function wrongTypes({ schema, valid }: RouteCase, refuse: Refuse): Promise<void> {
  for (const [field, types] of typedFields(schema)) {
    for (const value of SAMPLES.filter((sample) => !types.includes(typeOf(sample)))) {
      await refuse(JSON.stringify({ ...valid, [field]: value }), { field })
    }
  }
}

function unknownFields({ schema, valid }: RouteCase, refuse: Refuse): Promise<void> {
  const known = Object.keys(propertiesOf(schema))
  const inherited = fc.constantFrom('constructor', 'toString', 'valueOf')
  const unknown = fc
    .oneof(fc.string({ minLength: 1, maxLength: 60 }), inherited)
    .filter((name) => !known.includes(name) && name !== '__proto__')
  // A poisonous key inside would be named instead: see poison().
  const harmless = fc.jsonValue().filter((value) => !/__proto__|constructor/.test(JSON.stringify(value)))
  return fc.assert(
    fc.asyncProperty(unknown, harmless, (name, value) =>
      refuse(JSON.stringify({ ...valid, [name]: value }), { field: name }),
    ),
    RUNS,
  )
}

async function missingFields({ valid, needed }: RouteCase, refuse: Refuse): Promise<void> {
  await refuse('')
  for (const [missing, field] of Object.entries(needed)) {
    const { [missing]: _, ...rest } = valid
    await refuse(rest, { field })
  }
}

async function overLong({ schema, valid }: RouteCase, refuse: Refuse): Promise<void> {
  const texts = typedFields(schema).filter(([, types]) => types.includes('string'))
  for (const [field] of texts) await refuse(replaced(valid, field, TOO_LONG), { field })
}

/** What not every store can keep is refused wherever a field is a text; in payloads and metadata it is an escape of JSON, and kept. */
async function unstorable({ schema, valid }: RouteCase, refuse: Refuse): Promise<void> {
  const texts = typedFields(schema).filter(([, types]) => types.includes('string'))
  // A search goes with no filter, and of several faults another one may be named.
  const expected = (field: string) => (field === 'search' ? {} : { field })
  for (const [field] of texts)
    for (const text of ['a\0b', 'a\ud800']) await refuse(replaced(valid, field, text), expected(field))
}

async function pastDates({ valid, future }: RouteCase, refuse: Refuse): Promise<void> {
  const past = fc.date({ min: new Date(0), max: new Date(Date.UTC(2029, 10, 30)), noInvalidDate: true })
  for (const field of future) {
    await fc.assert(
      fc.asyncProperty(past, (date) => refuse(replaced(valid, field, date.toISOString()), { field })),
      RUNS,
    )
  }
}

async function contentTypes({ valid }: RouteCase, refuse: Refuse): Promise<void> {
  const text = JSON.stringify(valid)
  for (const contentType of OTHER_TYPES) await refuse(text, { status: 415, contentType })
}

async function nesting({ valid }: RouteCase, refuse: Refuse): Promise<void> {
  for (const depth of [65, 1_000, 100_000]) {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    await refuse(deep)
    await refuse(`{"payload":${deep},${JSON.stringify(valid).slice(1)}`)
  }
}

async function poison({ valid }: RouteCase, refuse: Refuse): Promise<void> {
  // Last, because of two equal keys the last one counts.
  const open = `${JSON.stringify(valid).slice(0, -1)},`
  await refuse(`${open}"__proto__":{"isAdmin":true}}`, { field: '__proto__' })
  await refuse(`${open}${String.raw`"\u005f_proto__"`}:{"isAdmin":true}}`, { field: '__proto__' })
  await refuse(`${open}"payload":[{"__proto__":1}]}`, { field: 'payload.0.__proto__' })
  await refuse(`${open}"constructor":{"prototype":{"isAdmin":true}}}`, { field: 'constructor.prototype' })
  assert.equal(({} as Record<string, unknown>)['isAdmin'], undefined)
}

function anything(server: TestServer, route: RouteCase, errorField: BadInputSuite['errorField']): Promise<void> {
  const { schema, valid } = route
  return fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(propertiesOf(schema))), fc.jsonValue(), async (field, value) => {
      const answer = await send(server, route, { ...valid, [field]: value })
      assert.ok(answer.status < 500, answer.text)
      if (answer.status >= 400) errorField(answer)
    }),
    { numRuns: 60 },
  )
}

/** Fields that exclude each other would hide the one that is tested. */
const ALTERNATIVES = [
  ['executeAt', 'schedule'],
  ['callbackUrl', 'callback'],
]

function replaced(valid: RouteCase['valid'], field: string, value: unknown): Record<string, unknown> {
  const others = ALTERNATIVES.find((names) => names.includes(field))?.filter((name) => name !== field) ?? []
  const kept = Object.entries(valid).filter(([name]) => !others.includes(name))
  // A zone is only looked at beside a schedule.
  const beside = field === 'timeZone' && !('timeZone' in valid) ? { executeAt: undefined, schedule: 'PT10M' } : {}
  return { ...Object.fromEntries(kept), ...beside, [field]: value }
}

const SAMPLES: readonly unknown[] = ['text', 7, 7.5, true, null, [], [1], {}, { a: 1 }]

type JsonSchema = { readonly type?: string | readonly string[]; readonly anyOf?: readonly JsonSchema[] }

/** The fields that have types at all, with the types they take. */
function typedFields(schema: TSchema): (readonly [string, readonly string[]])[] {
  return Object.entries(propertiesOf(schema))
    .map(([field, about]) => [field, typesOf(about)] as const)
    .filter(([, types]) => types.length > 0)
}

function propertiesOf(schema: TSchema): Readonly<Record<string, JsonSchema>> {
  return (schema as { readonly properties?: Readonly<Record<string, JsonSchema>> }).properties ?? {}
}

function typesOf({ type, anyOf = [] }: JsonSchema): string[] {
  const own = type === undefined ? [] : [type].flat()
  return [...own, ...anyOf.flatMap(typesOf)].flatMap((one) => (one === 'number' ? ['number', 'integer'] : [one]))
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
