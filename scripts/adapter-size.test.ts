// An adapter only remembers, so it stays small: what two of them would write belongs above them, in store/keyed or store/sql.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'oxc-parser'

const LINES_MAX = 500
const ADAPTERS = ['mysql', 'cassandra', 'dynamodb', 'mongodb']
const STORE = join(import.meta.dirname, '..', 'src', 'store')
const TESTS = /\.(?:test|fixture)\.ts$/

/** Lines with code: not blank, no comment, no import. */
function linesOfCode(path: string, text: string): number {
  const { program, comments } = parseSync(path, text)
  const imports = program.body.filter(({ type }) => type === 'ImportDeclaration')
  let code = text
  for (const { start, end } of [...comments, ...imports])
    code = code.slice(0, start) + code.slice(start, end).replaceAll(/[^\n]/g, ' ') + code.slice(end)
  return code.split('\n').filter((line) => line.trim() !== '').length
}

test('blank lines, comments and imports are no code', () => {
  const text = "// a\nimport {\n  a,\n} from 'b'\n\n/** c\n d */\nconst e = 'f' // g\nconst h = `\n// i`\n"
  assert.equal(linesOfCode('a.ts', text), 3)
})

for (const adapter of ADAPTERS)
  test(`the adapter of ${adapter} has at most ${LINES_MAX} lines of code`, () => {
    const files = globSync(`${adapter}/**/*.ts`, { cwd: STORE }).filter((path) => !TESTS.test(path))
    const counts = files.map((path) => ({ path, lines: linesOfCode(path, readFileSync(join(STORE, path), 'utf8')) }))
    const all = counts.reduce((sum, { lines }) => sum + lines, 0)
    assert.ok(
      all > 0 && all <= LINES_MAX,
      `${all} lines:\n${counts.map(({ path, lines }) => `${lines} ${path}`).join('\n')}`,
    )
  })
