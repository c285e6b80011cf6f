// What a browser loads to show the first page stays small.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { needsBrowser, WEB_DIST } from '../support/browser.ts'

const GZIPPED_BYTES_MAX = 200_000

test('the whole of the built page is below 200 kB, gzipped', needsBrowser, (t) => {
  const files = readdirSync(WEB_DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const sizes = files.map(({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name))).length)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  t.diagnostic(`${files.length} files, ${total} bytes gzipped`)
  assert.ok(files.length >= 4, 'index, script, style sheet and font are there')
  assert.ok(total < GZIPPED_BYTES_MAX, `${total} bytes`)
})

test('nothing is inline: the content security policy would block it', needsBrowser, () => {
  const html = readFileSync(join(WEB_DIST, 'index.html'), 'utf8')
  assert.doesNotMatch(html, /<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=/)
})
