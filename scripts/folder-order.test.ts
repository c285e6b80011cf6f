import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderProblems } from './folder-order.ts'

const RULES = { order: { engine: [['wheel'], ['window', 'commit'], ['delivery']] }, allowed: {}, larger: {} }
const file = (path: string, imports: readonly string[] = [], lines = 100) => ({ path, imports, lines })

test('a sub-folder imports those below it, and not those above it', () => {
  const window = file('src/engine/window/a.ts', ['src/engine/delivery/b.ts', 'src/core/time/instant.ts'])
  const delivery = file('src/engine/delivery/b.ts', ['src/engine/window/a.ts'])
  assert.deepEqual(folderProblems([delivery], RULES), [])
  assert.deepEqual(folderProblems([window], RULES), [
    'src/engine/window/a.ts imports src/engine/delivery/b.ts, which is in or leads to delivery: window is not above that',
  ])
})

test('siblings do not know each other', () => {
  const window = file('src/engine/window/a.ts', [
    'src/engine/commit/b.ts',
    'src/engine/wheel/c.ts',
    'src/engine/window/d.ts',
  ])
  assert.deepEqual(folderProblems([window], RULES), [
    'src/engine/window/a.ts imports src/engine/commit/b.ts, which is in or leads to commit: window is not above that',
  ])
})

test('files beside the sub-folders may have a place of their own', () => {
  const files = [file('src/engine/window/a.ts', ['src/engine/shard.ts']), file('src/engine/shard.ts')]
  assert.deepEqual(folderProblems(files, RULES), [])
  assert.equal(folderProblems(files, { ...RULES, order: { engine: [['window'], ['.']] } }).length, 1)
  assert.deepEqual(folderProblems(files, { ...RULES, order: { engine: [['.'], ['window']] } }), [])
})

test('a file beside the sub-folders leads to all that it imports, however many such files are between', () => {
  const files = [
    file('src/engine/window/a.ts', ['src/engine/shard.ts']),
    file('src/engine/shard.ts', ['src/engine/shards.ts']),
    file('src/engine/shards.ts', ['src/engine/shard.ts', 'src/engine/delivery/b.ts']),
    file('src/engine/delivery/b.ts'),
  ]
  assert.equal(folderProblems(files, RULES).length, 1)
  assert.deepEqual(folderProblems(files.slice(1), RULES), [])
})

test('a new sub-folder finds its place first', () => {
  assert.match(folderProblems([file('src/engine/misc/a.ts')], RULES)[0]!, /add `misc` to ORDER\.engine/)
})

test('an exception is for one import, and goes when that is gone', () => {
  const allowed = { 'src/engine/window/a.ts → delivery/b.ts': 'why' }
  const imports = ['src/engine/delivery/b.ts', 'src/engine/delivery/c.ts']
  assert.equal(folderProblems([file('src/engine/window/a.ts', imports)], { ...RULES, allowed }).length, 1)
  assert.match(folderProblems([], { ...RULES, allowed })[0]!, /no exception any more/)
})

test('a folder has at most 12 files of code, and a file at most 300 lines', () => {
  const files = Array.from({ length: 13 }, (_, n) => file(`src/engine/window/${n}.ts`))
  assert.deepEqual(folderProblems(files.slice(1), RULES), [])
  assert.deepEqual(folderProblems(files, RULES), ['src/engine/window has 13 files of code, and 12 are the most'])
  const long = file('src/engine/window/long.ts', [], 301)
  assert.deepEqual(folderProblems([long], RULES), ['src/engine/window/long.ts has 301 lines, and 300 are the most'])
  assert.deepEqual(folderProblems([long], { ...RULES, larger: { [long.path]: 'why' } }), [])
})

test('suites that adapters run may be longer', () => {
  const order = { store: [['conformance']] }
  assert.deepEqual(folderProblems([file('src/store/conformance/suite.ts', [], 900)], { ...RULES, order }), [])
})

test('the order of src/: rules are above time, errors of HTTP below its contracts, adapters are siblings', () => {
  const problems = (path: string, ...imports: string[]) => folderProblems([file(path, imports)], { allowed: {} }).length
  assert.equal(problems('src/core/rules/a.ts', 'src/core/time/a.ts', 'src/core/errors.ts', 'src/core/rules/b.ts'), 0)
  assert.equal(problems('src/core/time/a.ts', 'src/core/timer/timer.ts'), 1)
  assert.equal(problems('src/core/access/a.ts', 'src/core/events/a.ts'), 1)
  assert.equal(problems('src/http/errors/a.ts', 'src/http/contracts/contract.ts'), 1)
  assert.equal(problems('src/store/postgres/a.ts', 'src/store/sqlite/b.ts'), 1)
})
