import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CONTRACTS } from './contracts/all-contracts.ts'
import { replay } from './golden.fixture.ts'
import type { Story } from './golden.fixture.ts'

const API = join(import.meta.dirname, '../../api')
const files = globSync('*/*.json', { cwd: API }).toSorted()

test('every contract has golden examples', () => {
  for (const { name } of CONTRACTS)
    assert.ok(
      files.some((file) => file.startsWith(`${name}/`)),
      name,
    )
})

for (const file of files) {
  const story = JSON.parse(readFileSync(join(API, file), 'utf8')) as Story
  test(`api/${file}: ${story.title}`, (t) => replay(t, story))
  test(`api/${file}, by threads of HTTP: ${story.title}`, (t) => replay(t, story, { httpThreads: 2 }))
}
