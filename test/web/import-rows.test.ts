// Files of timers as people bring them, and as this page exports them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Timer } from '../../web/src/api/timer.ts'
import { CSV_COLUMNS, csvLine, parseCsv } from '../../web/src/pages/timers/csv.ts'
import { readRows } from '../../web/src/pages/timers/import-rows.ts'

const NAMES = CSV_COLUMNS.join(',')

test('a line that is no timer fails alone, with its number', async () => {
  const rows = await readRows('{"id":"a"}\nnonsense\n\n[1]\n{"id":"b"}', 'timers.ndjson')
  assert.deepEqual(rows, [
    { line: 1, timer: { id: 'a' } },
    { line: 2, fault: 'this line is not JSON' },
    { line: 4, fault: 'not an object' },
    { line: 5, timer: { id: 'b' } },
  ])
})

test('a file that only looks like an array is refused as a whole', async () => {
  await assert.rejects(readRows('[{"id":"a"},', 'timers.json'))
})

test('header values that the export has hidden are not imported as stars', async () => {
  const [row] = await readRows(
    '[{"id":"a","callback":{"type":"http","url":"https://example.com","headers":{"Authorization":"***"}}}]',
    'a.json',
  )
  assert.match('fault' in row! ? row.fault : '', /hidden/)
})

test('what the service decides itself is left out; a cycle keeps its schedule, everything else its instant', async () => {
  const exported = {
    id: 'a',
    namespace: 'n',
    groupId: 'n',
    status: 'pending',
    executeAt: '2030-01-01T00:00:00.000Z',
    callbackUrl: 'https://example.com/',
    callback: { type: 'http', url: 'https://example.com/' },
    version: 3,
    attempts: [],
  }
  const rows = await readRows(
    JSON.stringify([
      { ...exported, schedule: 'PT10M' },
      { ...exported, schedule: 'R/P1D', timeZone: 'Europe/Berlin', catchUp: 'one' },
    ]),
    'a.json',
  )
  const common = { id: 'a', namespace: 'n', callback: { type: 'http', url: 'https://example.com/' } }
  assert.deepEqual(rows, [
    { line: 1, timer: { ...common, executeAt: exported.executeAt } },
    { line: 2, timer: { ...common, schedule: 'R/P1D', timeZone: 'Europe/Berlin', catchUp: 'one' } },
  ])
})

test('CSV cells that are no JSON where JSON is meant are told by their column', async () => {
  assert.deepEqual(await readRows('id,payload\r\na,{"n":1\r\nb,"{""n"":2}"\r\n', 'a.csv'), [
    { line: 2, fault: 'payload is not JSON' },
    { line: 3, timer: { id: 'b', payload: { n: 2 } } },
  ])
})

test('whatever a timer carries survives CSV, and no cell begins like a formula', async () => {
  const texts = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom('=1+1', '-2', '@x', '+x', 'a,"b"\r\nc', 'ü"', "'=1"),
  )
  const timers = fc.record({ id: texts, payload: fc.jsonValue(), metadata: fc.dictionary(fc.string(), fc.string()) })
  await fc.assert(
    fc.asyncProperty(timers, async ({ id, payload, metadata }) => {
      fc.pre(id.trim() !== '' && payload !== null)
      const line = csvLine({ namespace: 'n', id, payload, metadata } as unknown as Timer)
      const [cells] = [...parseCsv(line)]
      assert.doesNotMatch(cells![1]!, /^[=+\-@\t\r]/)
      const [row] = await readRows(`${NAMES}\r\n${line}`, 'a.csv')
      assert.deepEqual(row, JSON.parse(JSON.stringify({ line: 2, timer: { namespace: 'n', id, payload, metadata } })))
    }),
  )
})
