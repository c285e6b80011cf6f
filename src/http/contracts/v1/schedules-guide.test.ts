// What the guide shows is what the service does: every example of docs/guides/schedules.md is asked of it.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setup } from './v1.fixture.ts'

/** Fields in the guide, as they stand in a request: `"schedule": "PT30M"` with what follows in the same code. */
async function examples(): Promise<Record<string, unknown>[]> {
  const guide = await readFile(new URL('../../../../docs/guides/schedules.md', import.meta.url), 'utf8')
  const spans = [...guide.matchAll(/`("(?:schedule|executeAt)": [^`]+)`/g)].map(([, fields]) => `{${fields}}`)
  const cycles = [...guide.matchAll(/^\| `(R\d*\/[^`]+)` \|/gm)].map(([, schedule]) => JSON.stringify({ schedule }))
  // The clock of the test is at the end of 2029.
  return [...spans, ...cycles].map((json) => JSON.parse(json.replaceAll('2027', '2031')) as Record<string, unknown>)
}

test('every schedule in the guide is taken, fires in the future and has words', async (t) => {
  const { call } = await setup(t)
  const bodies = await examples()
  assert.ok(bodies.length >= 6, `${bodies.length} examples`)
  for (const body of bodies) {
    const { status, json, text } = await call('preview', body)
    assert.equal(status, 200, `${JSON.stringify(body)}: ${text}`)
    assert.ok((json['firings'] as string[]).length > 0 && String(json['description']).length > 3)
  }
})

test('the nights of the guide are as it says', async (t) => {
  const { call } = await setup(t)
  const first = async (schedule: string, dst: object, from: string) => {
    const { json } = await call('preview', { schedule, timeZone: 'Europe/Berlin', dst, from, count: 1 })
    return String((json['localFirings'] as string[])[0]).slice(0, 22)
  }
  const [spring, autumn] = ['2031-03-29T23:00:00Z', '2031-10-25T22:00:00Z']
  assert.equal(await first('30 2 * * *', {}, spring), '2031-03-30T03:30:00.00')
  assert.equal(await first('30 2 * * *', { gap: 'skip' }, spring), '2031-03-31T02:30:00.00')
  assert.equal(await first('30 2 * * *', { overlap: 'second' }, '2031-10-26T00:31:00Z'), '2031-10-26T02:30:00.00')
  assert.equal(await first('30 2 * * *', {}, autumn), '2031-10-26T02:30:00.00')
})

/** What the guide shows is part of what the service answers. */
function assertShown(answer: unknown, shown: unknown, where: string): void {
  if (typeof shown !== 'object' || shown === null) return assert.deepEqual(answer, shown, where)
  if (Array.isArray(shown)) assert.equal((answer as unknown[]).length, shown.length, where)
  for (const [key, value] of Object.entries(shown))
    assertShown((answer as Record<string, unknown>)[key], value, `${where}.${key}`)
}

test('the tour goes as the guide tells it', async (t) => {
  const { call } = await setup(t)
  const guide = await readFile(new URL('../../../../docs/guides/schedules.md', import.meta.url), 'utf8')
  const steps = [...guide.matchAll(/^```json tour (\w+)(?: (\d+))?\n(.+)\n(.+)\n```$/gm)]
  assert.equal(steps.length, (guide.match(/^```json tour/gm) ?? []).length, 'every step has a request and an answer')
  assert.ok(steps.length >= 6)
  for (const [, verb, status = '200', request, answer] of steps) {
    const got = await call(verb as 'create', JSON.parse(request!))
    assert.equal(got.status, Number(status), `${verb} ${request}: ${got.text}`)
    assertShown(got.json, JSON.parse(answer!), `${verb} ${request}`)
  }
})
