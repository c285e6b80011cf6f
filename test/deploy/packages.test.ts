// The npm packages as a registry would get them: nothing in them that users do not need, and nothing that runs when they are
// installed. What the packages do is tested in test/node-versions.test.ts and test/sdk-package.test.ts.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { toolsHere } from '../../scripts/tools/tools.fixture.ts'
import { toolPath } from '../../scripts/tools/tools.ts'
import { VERSION } from '../../src/runtime/version.ts'
import { packDuetime, packSdk, ROOT, run } from '../support/packed.ts'
import { tempDir } from '../support/temp-dir.ts'

type Manifest = {
  readonly name: string
  readonly repository?: { readonly url: string; readonly directory?: string }
  readonly publishConfig?: { readonly access: string; readonly provenance: boolean }
  readonly scripts?: Readonly<Record<string, string>>
}
const FOLDERS = ['.', 'sdks/typescript']
const REPOSITORY = 'https://github.com/duetime/duetime'

let dir: string
let tarballs: readonly string[]
before(async (t) => {
  dir = tempDir(t as TestContext)
  tarballs = await Promise.all([packDuetime(dir), packSdk(dir)])
})

test('a package has its code, its types, its page and the three files that every package has', async () => {
  for (const tarball of tarballs) {
    const { stdout } = await run('tar', ['-tzf', tarball], dir)
    const files = stdout
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, ''))
    const isExpected = (path: string) =>
      ['LICENSE', 'README.md', 'package.json'].includes(path) || /^(?:dist\/.*\.(?:js|d\.ts)|web\/dist\/.*)$/.test(path)
    assert.deepEqual(
      files.filter((path) => !isExpected(path) || /\.(?:test|fixture|map)\b/.test(path)),
      [],
    )
  }
})

test('a package says where it comes from, can prove it, and runs nothing when it is installed', () => {
  for (const folder of FOLDERS) {
    const {
      repository,
      publishConfig,
      scripts = {},
    } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest
    assert.equal(repository?.url, `git+${REPOSITORY}.git`)
    assert.equal(repository.directory ?? '.', folder)
    assert.deepEqual(publishConfig, { access: 'public', provenance: true })
    for (const hook of ['preinstall', 'install', 'postinstall']) assert.equal(scripts[hook], undefined, hook)
  }
})

test('a README that npm shows has no link that leads nowhere there', () => {
  for (const folder of FOLDERS) {
    const text = readFileSync(join(ROOT, folder, 'README.md'), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
    const links = Array.from(text.matchAll(/\]\(([^)\s]*)\)/g), ([, link]) => link!)
    assert.deepEqual(
      links.filter((link) => !/^(?:https:\/\/|http:\/\/localhost|#)/.test(link)),
      [],
      folder,
    )
  }
})

test('npm ci takes the lock file', async (t) => {
  const copy = tempDir(t)
  for (const folder of ['.', 'sdks/typescript', 'web']) {
    mkdirSync(join(copy, folder), { recursive: true })
    cpSync(join(ROOT, folder, 'package.json'), join(copy, folder, 'package.json'))
  }
  cpSync(join(ROOT, 'package-lock.json'), join(copy, 'package-lock.json'))
  await run('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], copy)
})

test('npx runs the command from the packed files', async () => {
  const project = join(dir, 'elsewhere')
  mkdirSync(project)
  const packages = tarballs.flatMap((tarball) => ['--package', tarball])
  const { stdout } = await run('npx', ['--yes', '--prefer-offline', ...packages, 'duetime', '--version'], project)
  assert.equal(stdout.trim(), VERSION)
})

test('publint has nothing to say', { skip: toolsHere('packages') }, async () => {
  for (const tarball of tarballs) {
    const { stdout } = await run('node', [toolPath('packages', 'node_modules/publint/src/cli.js'), 'run', tarball], dir)
    assert.match(stdout, /All good!/)
  }
})

test('the types are right in every way to resolve modules', { skip: toolsHere('packages') }, async () => {
  for (const tarball of tarballs) {
    const attw = toolPath('packages', 'node_modules/@arethetypeswrong/cli/dist/index.js')
    await run('node', [attw, tarball, '--profile', 'esm-only'], dir)
  }
})
