import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type pg from 'pg'
import type { Cell } from '../../row/columns.ts'
import { columnParameter } from './array-parameters.ts'
import type { ElementType } from './array-parameters.ts'
import { PostgresServer } from '../postgres-server.fixture.ts'

let server: PostgresServer
let client: pg.Client
before(async () => {
  server = await PostgresServer.start()
  client = await server.client('postgres')
})
after(async () => {
  await client.end()
  await server.stop()
})

const ELEMENTS: Readonly<Record<ElementType, fc.Arbitrary<Cell>>> = {
  int2: fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }),
  int4: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  int8: fc.maxSafeInteger(),
  text: fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => !text.includes('\0')),
  uuid: fc.stringMatching(/^[0-9a-f]{32}$/),
}

for (const [type, element] of Object.entries(ELEMENTS) as [ElementType, fc.Arbitrary<Cell>][]) {
  test(`a column of ${type} arrives in PostgreSQL as it was, NULLs included`, async () => {
    const cell = type === 'uuid' ? `replace(u::text, '-', '')` : 'u::text'
    const query = { name: type, text: `SELECT ${cell} AS cell FROM unnest($1::${type}[]) AS u` }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(element), { maxLength: 30 }), async (cells) => {
        const { rows } = await client.query<{ cell: string | null }>({
          ...query,
          values: [columnParameter(type, cells)],
        })
        const isAllNull = cells.length > 0 && cells.every((one) => one === null)
        const expected = isAllNull ? [] : cells.map((one) => (one === null ? null : String(one)))
        assert.deepEqual(
          rows.map((row) => row.cell),
          expected,
        )
      }),
      { numRuns: 60 },
    )
  })
}

test('texts that repeat arrive each time, with NULLs and others between', async () => {
  const cells = ['é', 'é', null, 'é', '', '', 'longer text', 'é', 'é', null]
  const { rows } = await client.query({
    text: 'SELECT unnest($1::text[])',
    values: [columnParameter('text', cells)],
    rowMode: 'array',
  })
  assert.deepEqual(rows.flat(), cells)
})

test('every n-th cell makes a column', async () => {
  const cells = ['a', 1, 'b', 2, 'c', 3]
  const values = [columnParameter('text', cells, 0, 2), columnParameter('int8', cells, 1, 2)]
  const { rows } = await client.query({
    text: 'SELECT * FROM unnest($1::text[], $2::bigint[])',
    values,
    rowMode: 'array',
  })
  assert.deepEqual(rows, [
    ['a', '1'],
    ['b', '2'],
    ['c', '3'],
  ])
})

test('a NUL, which no text in PostgreSQL can have, becomes a replacement character', async () => {
  const { rows } = await client.query({
    text: 'SELECT unnest($1::text[])',
    values: [columnParameter('text', ['a\0b'])],
    rowMode: 'array',
  })
  assert.deepEqual(rows, [['a\ufffdb']])
})
