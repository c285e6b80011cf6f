import assert from 'node:assert/strict'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { groupNames, groupOf, testFiles } from './groups.ts'

const ROOT = join(import.meta.dirname, '..', '..')

test('every test file is in a group, and no group is empty', () => {
  const byGroup = Map.groupBy(
    testFiles(ROOT).map((file) => relative(ROOT, file)),
    groupOf,
  )
  assert.deepEqual(byGroup.get(null) ?? [], [], 'add a pattern to GROUPS')
  assert.deepEqual(new Set(byGroup.keys()), new Set(groupNames()))
})

test('there is no test file outside of the folders that are searched', () => {
  assert.deepEqual(testFiles(ROOT, ['**/*.test.ts']), testFiles(ROOT))
})

test('a file is in the group that is meant for it most of all', () => {
  assert.equal(groupOf('src/core/time/instant.test.ts'), 'fast')
  assert.equal(groupOf('test/promises/arrival.test.ts'), 'fast')
  assert.equal(groupOf('src/store/memory/memory-store.test.ts'), 'stores')
  assert.equal(groupOf('test/crash.test.ts'), 'system')
  assert.equal(groupOf('elsewhere/a.test.ts'), null)
})
