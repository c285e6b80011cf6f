import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { VERSION } from './version.ts'

test('the version is the one in package.json', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  assert.equal(VERSION, manifest.version)
  assert.match(VERSION, /^\d+\.\d+\.\d+/)
})
