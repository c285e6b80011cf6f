import assert from 'node:assert/strict'
import { test } from 'node:test'
import { violations } from './import-direction.ts'

test('an import that points up is reported with its place, types included', () => {
  const source = "import { a } from '../core/a.ts'\nimport type { Shard } from '../engine/shard.ts'\n"
  assert.deepEqual(violations('src/store/x.ts', source), [
    'src/store/x.ts:2 imports src/engine/shard.ts: store is below engine, and imports point down',
  ])
})

test('every way to import is seen', () => {
  for (const source of [
    "import '../cli/x.ts'",
    "import { type X } from '../cli/x.ts'",
    "export * from '../cli/x.ts'",
    "export type { X } from '../cli/x.ts'",
    "const x = await import('../cli/x.ts')",
    "type X = import('../cli/x.ts').X",
  ]) {
    assert.equal(violations('src/http/a.ts', source).length, 1, source)
  }
})

test('siblings do not know each other', () => {
  assert.match(violations('src/store/a.ts', "import '../targets/target.ts'")[0]!, /siblings/)
  assert.match(violations('src/nats/a.ts', "import '../http/app.ts'")[0]!, /siblings/)
})

test('one contract cannot import another, but may import its own files and what contracts share', () => {
  const path = 'src/http/contracts/v1/routes.ts'
  assert.match(violations(path, "import '../groups/mapping.ts'")[0]!, /v1 and groups do not know each other/)
  assert.deepEqual(
    violations(path, "import './mapping.ts'; import '../contract.ts'; import '../../errors/envelope.ts'"),
    [],
  )
})

test('core imports neither node: modules nor packages other than the hash', () => {
  assert.match(violations('src/core/a.ts', "import 'node:crypto'")[0]!, /pure/)
  assert.match(violations('src/core/a.ts', "import 'undici'")[0]!, /pure/)
  assert.match(violations('src/core/a.ts', "import '@noble/hashes-of-someone-else'")[0]!, /pure/)
  assert.deepEqual(violations('src/core/a.ts', "import { sha256 } from '@noble/hashes/sha2.js'"), [])
  assert.deepEqual(violations('src/engine/a.ts', "import 'node:crypto'; import 'undici'"), [])
})

test('modules of Node that load much when they are imported are taken from one place', () => {
  for (const source of [
    "import { createServer } from 'node:http'",
    "import zlib from 'node:zlib'",
    "await import('node:https')",
  ])
    assert.match(violations('src/http/a.ts', source)[0]!, /builtin-modules/)
  assert.deepEqual(
    violations('src/http/a.ts', "import type { Server } from 'node:http'; import { connect } from 'node:net'"),
    [],
  )
})

test('only the runtime reads the clock or the environment', () => {
  for (const read of [
    'Date.now()',
    'const now = Date.now',
    'new Date()',
    'new Date',
    'Date()',
    'performance.now()',
    "performance['now']()",
    'globalThis.Date.now()',
    'Temporal.Now.instant()',
    'process.hrtime.bigint()',
    'process.env.PORT',
    'globalThis.process.env',
  ]) {
    assert.equal(violations('src/engine/a.ts', read).length, 1, read)
    assert.deepEqual(violations('src/runtime/a.ts', read), [], read)
  }
})

test('words in comments and strings, instants from numbers and clocks of our own are no clock reads', () => {
  const source = [
    "// Date.now() is not for us, nor import '../cli/x.ts'",
    "const text = 'Date.now() and process.env'",
    'const quote = /["\']/',
    'new Date(0); clock.now(); this.performance.timings',
  ].join('\n')
  assert.deepEqual(violations('src/engine/a.ts', source), [])
})

test('a file outside the known layers is reported, so that a new folder finds its place first', () => {
  assert.match(violations('src/misc/a.ts', '')[0]!, /no known layer/)
})

test('src does not reach outside itself, but for the version', () => {
  assert.match(violations('src/http/a.ts', "import '../../bench/load.ts'")[0]!, /outside src/)
  assert.deepEqual(
    violations('src/runtime/version.ts', "import manifest from '../../package.json' with { type: 'json' }"),
    [],
  )
})

test('tests and their fixtures may compose the layers and read the clock, and nothing else imports them', () => {
  assert.match(violations('src/engine/a.ts', "import './a.fixture.ts'")[0]!, /made for tests/)
  assert.deepEqual(violations('src/engine/a.fixture.ts', "import '../server.ts'; Date.now()"), [])
  assert.deepEqual(violations('src/core/a.test.ts', "import '../server.ts'; import 'node:test'; Date.now()"), [])
})

test('a file that cannot be parsed is reported, not passed over', () => {
  assert.match(violations('src/core/a.ts', 'const = ;')[0]!, /cannot be parsed/)
})
