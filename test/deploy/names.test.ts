// The addresses of the repository and of the image are written in many files that cannot share a constant. package.json has the one that
// counts, and everything else agrees with it.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT } from '../support/packed.ts'

const FILES = [
  '*.{md,json}',
  '{api,deploy,docs,examples,scripts,sdks,src,test,web}/**/*.{md,json,yaml,yml,toml,xml,mod,go,py,java,ts,tsx,rb,service}',
  'deploy/docker/Dockerfile',
  '.github/**/*.yml',
]
const OWN = /\b(github\.com|ghcr\.io)\/([\w.-]+)\/(duetime)\b/g

test('every address of the repository and of the image is that of package.json', () => {
  const [, owner] = /github\.com\/([^/]+)\/duetime\.git$/.exec(manifest.repository.url)!
  const found = FILES.flatMap((pattern) =>
    globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }),
  )
  const texts = found.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
  const named = texts.flatMap(({ file, text }) => [...text.matchAll(OWN)].map(([address]) => ({ file, address })))
  assert.ok(named.length > 50, `only ${named.length} addresses`)
  const wrong = named.filter(({ address }) => address.split('/')[1] !== owner)
  assert.deepEqual(wrong, [])
})

test('the image that a release pushes is the one that the chart and the manifests run', () => {
  const release = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')
  assert.match(release, /^ {2}IMAGE: ghcr\.io\/\$\{\{ github\.repository \}\}$/m)
  const repository = /github\.com\/(.*)\.git$/.exec(manifest.repository.url)![1]!
  for (const file of ['deploy/helm/duetime/values.yaml', 'deploy/kustomize/base/deployment.yaml'])
    assert.ok(readFileSync(join(ROOT, file), 'utf8').includes(`ghcr.io/${repository}`), file)
})

test('a release has no two files of one name', () => {
  const release = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')
  // npm and Helm would both write duetime-<version>.tgz.
  assert.match(release, /npm pack .*--pack-destination release$/m)
  assert.doesNotMatch(release, /helm package .*--destination release$/m)
})
