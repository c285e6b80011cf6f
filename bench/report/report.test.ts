import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enginesTable } from './engines-page.ts'
import { engineFigure } from './engines-picture.ts'
import { thisMachine } from './machine.ts'
import { measurement } from './measurement.ts'
import { picture } from './picture.ts'
import { table } from './table.ts'

const rate = measurement({
  scenario: 'creates',
  what: 'durable <creates> & more',
  unit: '/s',
  rounds: [1_000, 10_000, 30_000, 20_000],
  raw: { what: 'bare', rounds: [2_000, 40_000, 50_000, 40_000] },
  target: { shareAtLeast: 0.5 },
})
const late = measurement({ scenario: 'lateness', what: 'p99', unit: 'ms', rounds: [5.25], target: { atMost: 4 } })

test('a share of the raw limit needs a raw limit', () => {
  assert.throws(
    () => measurement({ scenario: 'x', what: 'y', unit: '/s', rounds: [1], target: { shareAtLeast: 1 } }),
    /needs the raw limit/,
  )
})

test('the ratio is the median of the rounds’ own ratios, so that a slow moment of the machine cancels out', () => {
  assert.equal(rate.value, 20_000)
  assert.equal(rate.ratio, 0.5)
  assert.equal(rate.met, true)
  assert.equal(late.met, false)
})

test('the table marks what was met and what was missed, and aligns the numbers', () => {
  const lines = table([rate, late]).split('\n')
  const met = lines.find((line) => line.includes('durable'))!
  const missed = lines.find((line) => line.includes('p99'))!
  assert.match(met, /20,000\/s .*40,000\/s .*50 % .*≥ 50 % of raw .*✓$/)
  assert.match(missed, /5\.25 ms .*≤ 4 ms .*✗ missed$/)
  assert.equal(met.indexOf('20,000/s') + 8, missed.indexOf('5.25 ms') + 7)
})

test('the picture is well-formed, in both colour schemes, and cuts off a bar that is too long', () => {
  const endless = measurement({
    scenario: 'memory',
    what: 'much',
    unit: 'MiB',
    rounds: [5_000],
    target: { atMost: 50 },
  })
  const svg = picture([rate, late, endless], thisMachine(), 'a busy machine')
  assert.match(svg, /durable &lt;creates&gt; &amp; more/)
  assert.match(svg, /prefers-color-scheme: dark/)
  assert.match(svg, />a busy machine</)
  const widths = Array.from(
    svg.matchAll(/class="missed" x="(\d+)" y="\d+" width="([\d.]+)"/g),
    ([, x, width]) => Number(x) + Number(width),
  )
  assert.equal(widths.length, 2)
  for (const end of widths) assert.ok(end <= 920 - 150, `a bar ends at ${end}`)
})

test('the table of engines has a row for each, and leaves out what an engine has no figure for', () => {
  const of = (engine: string, what: string, rounds: readonly number[]) =>
    measurement({ scenario: 'engines', what: engineFigure(engine, what), unit: '/s', rounds })
  const lines = enginesTable(
    [of('A', 'creates', [10]), of('A', 'firings', [20]), of('B', 'firings', [30])],
    'raw',
  ).split('\n')
  assert.deepEqual(lines, [
    '| | creates | firings |',
    '|---|---:|---:|',
    '| A | 10.0/s | 20.0/s |',
    '| B |  | 30.0/s |',
  ])
})
