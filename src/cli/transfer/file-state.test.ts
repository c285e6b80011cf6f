import assert from 'node:assert/strict'
import { appendFileSync, utimesSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileState } from './file-state.ts'
import { temporaryFile } from '../../store/sqlite/file/temporary-file.fixture.ts'

const NOW = 1_800_000_000_000
const LONG_AGO = NOW / 1_000 - 3_600

test('a file that was written to a moment ago has no state yet', () => {
  const path = temporaryFile()
  writeFileSync(path, 'x')
  utimesSync(path, LONG_AGO, NOW / 1_000 - 1)
  assert.equal(fileState(path, NOW), null)
})

test('a write to the file or to its log changes the state, nothing else does', () => {
  const path = temporaryFile()
  writeFileSync(path, 'x')
  utimesSync(path, LONG_AGO, LONG_AGO)
  const before = fileState(path, NOW)
  assert.notEqual(before, null)
  writeFileSync(`${path}-wal`, '') // as whoever only reads leaves it behind
  utimesSync(`${path}-wal`, LONG_AGO, NOW / 1_000)
  assert.equal(fileState(path, NOW), before)
  appendFileSync(`${path}-wal`, 'commit')
  utimesSync(`${path}-wal`, LONG_AGO, LONG_AGO + 2)
  const after = fileState(path, NOW)
  assert.notEqual(after, before)
  utimesSync(`${path}-wal`, LONG_AGO, LONG_AGO + 3)
  assert.notEqual(fileState(path, NOW), after)
})
