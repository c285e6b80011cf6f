import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../test/support/temp-dir.ts'

test('pages that are missing or were edited by hand are stale until they are generated', (t) => {
  const cwd = tempDir(t)
  const generate = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'generate-docs.ts'), ...args], { cwd, encoding: 'utf8' })

  const missing = generate('--check')
  assert.equal(missing.status, 1)
  assert.match(missing.stderr, /configuration\.md is stale[^]*errors\.md is stale/)

  assert.equal(generate().status, 0)
  assert.equal(generate('--check').status, 0)

  appendFileSync(join(cwd, 'docs/reference/errors.md'), 'one more line\n')
  const edited = generate('--check')
  assert.equal(edited.status, 1)
  assert.match(edited.stderr, /^docs\/reference\/errors\.md is stale/)
})
