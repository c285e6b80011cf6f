import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { anchorOf, GOALS, goalsTable, judged } from './goals.ts'
import { everyRow, overview } from './pictures.ts'
import { PAGE, RESULTS, withFigures } from './page.ts'
import { Results } from './results.ts'
import type { Comparison } from './results.ts'

const machine = {
  date: '2026-01-01T00:00:00Z',
  duetime: '1',
  node: 'v26',
  system: 'Linux',
  cpu: 'x',
  cores: 2,
  memoryGiB: 8,
}
const library = { name: 'Duetime library, SQLite', isDuetime: true }
const bullmq = { name: 'BullMQ', isDuetime: false }
const boss = { name: 'pg-boss', isDuetime: false }

test('a goal is judged by the best of the peers that it is beside', () => {
  const results = new Results()
  results.add('bulk', boss, 40_000)
  results.add('bulk', bullmq, 10_000)
  results.add('bulk', library, 29_000)
  const bulk = judged(results.rows()).find(({ row, own }) => row === 'bulk' && own !== null)
  assert.equal(bulk!.best!.name, 'BullMQ')
  assert.equal(bulk!.isMet, false)
  assert.match(goalsTable(results.rows()), /BullMQ 10,000 \/s.*29,000 \/s \| 2\.90 \| ratio ≥ 3 \| missed: \[/)
})

test('a goal without figures is neither met nor missed', () => {
  assert.ok(judged([]).every(({ isMet }) => isMet === null))
})

test('of an even number of rounds the worse one in the middle counts', () => {
  const results = new Results()
  for (const value of [2, 9]) results.add('lateness', library, value)
  for (const value of [2, 9]) results.add('creates', library, value)
  const values = results.rows().map(({ key, systems }) => [key, systems[0]!.value])
  assert.deepEqual(values, [
    ['creates', 2],
    ['lateness', 9],
  ])
})

test('what limits a goal is a section of docs/limits.md', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'limits.md'), 'utf8')
  const anchors = new Set(Array.from(page.matchAll(/^#+ (.+)$/gm), ([, heading]) => anchorOf(heading!)))
  for (const { limits } of GOALS) assert.ok(anchors.has(anchorOf(limits)), `there is no section ${limits}`)
})

test('the picture names the first in a row, whoever it is, and marks who had less work', () => {
  const results = new Results()
  results.add('creates', bullmq, 20, { less: '5 of them' })
  results.add('creates', library, 10)
  results.add('recovery', library, 0)
  const comparison = { machine, rows: results.rows(), parts: [] }
  assert.match(overview(comparison), />BullMQ does 2\.0 times as much as Duetime</)
  assert.match(overview(comparison), />20 \/s \*</)
  assert.doesNotMatch(overview(comparison) + everyRow(comparison), /NaN|Infinity|undefined/)
})

test('docs/benchmarks.md shows the figures of the last run', () => {
  const comparison = JSON.parse(readFileSync(RESULTS, 'utf8')) as Comparison
  const page = readFileSync(PAGE, 'utf8')
  assert.equal(page, withFigures(page, comparison), 'run: node bench/peers/main.ts --draw')
})
