import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromNow, lengthText, measuredText, wallClock } from './readable-time.ts'
import { facts, table } from './table.ts'
import { cut, visible, widthOf } from './visible-text.ts'

const plain = (columns: number | null) => ({ columns, paint: (_style: string, text: string) => text })
const COLUMNS = [
  { title: 'ID', shrinksTo: 4 },
  { title: 'N', align: 'right' as const },
  { title: 'AT', isDroppable: true as const },
  { title: 'URL', shrinksTo: 6 },
]
const ROWS = [
  ['short', '1', '12:00', 'http://example.org/a'],
  ['a-much-longer-one', '100', '13:00', 'http://x'],
]

test('what would control the terminal is shown, not obeyed', () => {
  assert.equal(visible('a\u001B[31mb\nc\td\u009Be\u202Ef'), 'a\\u001b[31mb\\u000ac\\u0009d\\u009be\\u202ef')
  assert.equal(visible('ordré 🦊 日本'), 'ordré 🦊 日本')
  assert.match(table([{ title: 'ID' }], [['a\nb']], plain(null)), /^ID\na\\u000ab\n$/)
  assert.equal(facts([['id', 'a\nb'], null], plain(null)), 'id  a\\u000ab\n')
})

test('widths count what is seen', () => {
  assert.deepEqual(['abc', 'é', 'e\u0301', '日本', '🦊', '👩‍👩‍👧‍👦', ''].map(widthOf), [3, 1, 1, 4, 2, 2, 0])
  assert.deepEqual([cut('abcdef', 4), cut('日本語', 4), cut('abc', 3)], ['abc…', '日…', 'abc'])
})

test('where nobody looks nothing is cut', () => {
  assert.equal(
    table(COLUMNS, ROWS, plain(null)),
    'ID                   N  AT     URL\nshort                1  12:00  http://example.org/a\na-much-longer-one  100  13:00  http://x\n',
  )
})

test('on a terminal the widest columns give way first, and one that can be missed is left out last', () => {
  for (let width = 24; width <= 60; width++) {
    const lines = table(COLUMNS, ROWS, plain(width)).trimEnd().split('\n')
    assert.ok(
      lines.every((line) => widthOf(line) <= width),
      `${width}\n${lines.join('\n')}`,
    )
  }
  assert.match(table(COLUMNS, ROWS, plain(40)), /^ID +N +AT +URL\nshort +1 +12:00 +http:\/\/examp…\n/)
  assert.match(table(COLUMNS, ROWS, plain(18)), /^ID +N +URL\n/)
})

test('times are told in the two largest units, and measured ones to what matters', () => {
  assert.deepEqual([999, 1_000, 61_000, 3_600_000, 90_061_000, 400 * 86_400_000].map(lengthText), [
    '999ms',
    '1s',
    '1m 1s',
    '1h',
    '1d 1h',
    '1y 34d',
  ])
  assert.deepEqual([fromNow(10_000, 0), fromNow(0, 10_000), fromNow(100, 0)], ['in 10s', '10s ago', 'now'])
  assert.deepEqual([0.21, 9.96, 12.3, 1_234, 61_000].map(measuredText), ['0.2ms', '10ms', '12ms', '1.2s', '1m 1s'])
  assert.equal(wallClock(Date.parse('2026-12-24T17:00:00.250Z'), 'Europe/Berlin'), '2026-12-24 18:00:00.250')
})
