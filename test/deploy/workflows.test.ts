// The workflows of GitHub: without mistakes, and calling scripts that exist.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { releaseNotes } from '../../scripts/release/notes.ts'
import { otherVersions } from '../../scripts/release/version.ts'
import { command } from '../../scripts/servers/install/command.ts'
import { SERVERS } from '../../scripts/servers/servers.ts'
import { toolsHere } from '../../scripts/tools/tools.fixture.ts'
import { toolPath, TOOLS } from '../../scripts/tools/tools.ts'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT } from '../support/packed.ts'

const files = globSync('.github/**/*.yml', { cwd: ROOT })
const texts = files.map((file) => readFileSync(join(ROOT, file), 'utf8'))
const all = texts.join('\n')

test('actionlint has nothing to say', { skip: toolsHere('actionlint') }, async () => {
  const workflows = files.filter((file) => file.includes('workflows'))
  assert.equal(workflows.length, 2)
  await command(toolPath('actionlint'), ['-no-color', '-shellcheck=', '-pyflakes=', ...workflows], { cwd: ROOT })
})

test('every script and every test that a workflow names exists', () => {
  for (const [, name] of all.matchAll(/npm run ([\w:-]+)(?!\$)/g)) {
    if (name!.endsWith(':')) continue // goes on with what the matrix has
    assert.ok(Object.hasOwn(manifest.scripts, name!), `npm run ${name}`)
  }
  for (const [path] of all.matchAll(/\b(?:scripts|test|src)\/[\w/*.-]+\.ts\b/g))
    assert.ok(path.includes('*') ? globSync(path, { cwd: ROOT }).length > 0 : existsSync(join(ROOT, path)), path)
})

test('every tool and every server that a workflow names exists', () => {
  const named = (key: string) => [...all.matchAll(new RegExp(`^ +${key}: ([a-z].*)$`, 'gm'))].map(([, list]) => list!)
  for (const list of named('tools')) for (const name of list.split(' ')) assert.ok(name in TOOLS, `tools: ${name}`)
  for (const list of [...all.matchAll(/^ +server: \[(.*)\]$/gm)].map(([, one]) => one!))
    for (const name of list.split(', '))
      assert.ok(
        SERVERS.some((server) => server.name === name),
        `server: ${name}`,
      )
})

test('what a release publishes has one version, and its notes are those of the changelog', () => {
  assert.deepEqual(otherVersions(manifest.version), [])
  assert.equal(otherVersions('9.9.9').length, 9)
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n- later\n\n## [1.2.3] - 2030-01-31\n\n### Added\n\n- this\n\n## [1.2.2]\n'
  assert.equal(releaseNotes('1.2.3', changelog), '### Added\n\n- this')
  assert.equal(releaseNotes('1.2.4', changelog), null)
})
