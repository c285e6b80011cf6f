import assert from 'node:assert/strict'
import { copyFileSync, existsSync, statSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { openForReading, openForWriting } from './connection.ts'
import { LogSpace } from './log-space.ts'
import { temporaryFile } from './temporary-file.fixture.ts'

const MIB = 1_024 * 1_024

/** A file whose log is as long as so many rows of a kilobyte take. */
function fileWith(rows: number) {
  const path = temporaryFile()
  const db = openForWriting({ path, cacheMiB: 1 })
  const insert = db.prepare('INSERT INTO timer_payloads (payload) VALUES (?)')
  const add = (some: number): void => {
    db.exec('BEGIN')
    for (let i = 0; i < some; i++) insert.run('x'.repeat(1_000))
    db.exec('COMMIT')
  }
  add(rows)
  const frames = (): number => db.prepare('PRAGMA wal_checkpoint(NOOP)').get()!['log'] as number
  return { path, db, add, frames, logBytes: () => statSync(`${path}-wal`).size }
}

test('a file that is hardly written to gets no room in its log', () => {
  const { path, db, frames, logBytes } = fileWith(100)
  const before = logBytes()
  new LogSpace(db, path).prepare(frames())
  assert.equal(logBytes(), before)
  db.close()
})

test('a log gets as much room again, and is then written to without growing', () => {
  const { path, db, add, frames, logBytes } = fileWith(5_000)
  const before = logBytes()
  const space = new LogSpace(db, path)
  space.prepare(frames())
  const prepared = logBytes()
  assert.ok(prepared >= 2 * before && prepared <= 2 * before + MIB, `${prepared} after ${before}`)
  add(100)
  space.prepare(frames())
  assert.equal(logBytes(), prepared)
  space.close()
  db.close()
})

test('after a crash the room in the log is no commit, and nothing behind it is lost', () => {
  const { path, db, add, frames } = fileWith(5_000)
  const space = new LogSpace(db, path)
  space.prepare(frames())
  add(10)
  space.prepare(frames())
  const copy = temporaryFile()
  for (const part of ['', '-wal']) copyFileSync(path + part, copy + part)
  const after = openForReading({ path: copy, cacheMiB: 1 })
  assert.equal(after.prepare('SELECT count(*) AS rows FROM timer_payloads').get()!['rows'], 5_010)
  assert.deepEqual({ ...after.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
  for (const one of [after, space, db]) one.close()
})

test('nobody else can write to the log while room is made in it', () => {
  const { path, db, frames, logBytes } = fileWith(5_000)
  const other = openForWriting({ path, cacheMiB: 1 })
  other.exec('BEGIN IMMEDIATE')
  db.exec('PRAGMA busy_timeout = 0')
  const before = logBytes()
  assert.throws(() => new LogSpace(db, path).prepare(frames()), /locked/)
  assert.equal(logBytes(), before)
  other.exec('ROLLBACK')
  for (const one of [other, db]) one.close()
})

const FULL_DISK = '/dev/full'

test('a full disk is not filled again with every commit', { skip: !existsSync(FULL_DISK) }, () => {
  const { db, frames } = fileWith(5_000)
  const elsewhere = temporaryFile()
  symlinkSync(FULL_DISK, `${elsewhere}-wal`)
  const space = new LogSpace(db, elsewhere)
  assert.throws(() => space.prepare(frames()))
  for (let commit = 0; commit < 3; commit++) space.prepare(frames())
  assert.throws(() => space.prepare(2 * frames()), 'a longer log tries again')
  for (const one of [space, db]) one.close()
})
