// The files in deploy/docker, as far as they can be held against the program without a Docker engine. `npm run check`
// lints the compose file besides.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { validate } from 'dockerfile-utils'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { SETTINGS } from '../../src/runtime/config/schema.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const directory = join(ROOT, 'deploy', 'docker')
const read = (name: string) => readFileSync(join(directory, name), 'utf8')
const dockerfile = read('Dockerfile')

type Environment = Readonly<Record<string, string>>
type ComposeService = {
  readonly mem_limit?: string
  readonly volumes?: readonly string[]
  readonly environment?: Environment
  readonly stop_grace_period?: string
  readonly healthcheck?: object
}
const { services } = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>
}
const COMPOSE_FILES = globSync('compose*.yaml', { cwd: directory })
const nodes = Object.entries(services).filter(([name]) => name.startsWith('duetime'))

/** As `.env` would fill them in. */
function filledIn(environment: Environment): Environment {
  const fill = (value: string) => value.replace(/\$\{\w+:\?.*\}/, 'x'.repeat(40)).replace(/\$\{\w+:-\}/, '')
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]))
}

test('the Dockerfile has no mistakes', () => {
  assert.deepEqual(
    validate(dockerfile).map(({ message, range }) => [range.start.line + 1, message]),
    [],
  )
})

test('the image has the Node that the tests run with', () => {
  assert.equal(/ARG NODE_VERSION=(.*)/.exec(dockerfile)?.[1], manifest.devDependencies.node)
})

test('documents call the program where the image has it', () => {
  const [, program] = /^ENTRYPOINT \["node", "(.*)"\]$/m.exec(dockerfile)!
  for (const page of globSync('{*.md,docs/**/*.md,deploy/**/*.md}', { cwd: ROOT })) {
    for (const [path] of readFileSync(join(ROOT, page), 'utf8').matchAll(/\/app\/[\w./-]+/g))
      assert.equal(path, program, page)
  }
})

test('the image does not run as root, and a signal reaches the service itself', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  assert.match(last, /^USER (?!root)/m)
  for (const form of [/^ENTRYPOINT \[/m, /^CMD \[/m]) assert.match(last, form)
})

test('everything that is copied into the image is let through, and nothing that is for tests only', () => {
  const rules = read('Dockerfile.dockerignore').split('\n')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '))
  const isLetThrough = (source: string) =>
    rules.some((rule) => rule === `!${source}` || (rule.startsWith('!') && source.startsWith(`${rule.slice(1)}/`)))
  for (const source of copied) assert.ok(isLetThrough(source), `${source} is not in Dockerfile.dockerignore`)
  assert.ok(rules.indexOf('**/*.test.ts') > rules.indexOf('!src'))
})

test('each node of the compose file has settings that exist, are right together and name its own address', () => {
  assert.equal(nodes.length, 2)
  const known = Object.values(SETTINGS).map(({ env }) => env)
  for (const [name, { environment = {} }] of nodes) {
    for (const variable of Object.keys(environment)) assert.ok(known.includes(variable), `${variable} is not a setting`)
    const config = loadConfig({ env: filledIn(environment) })
    assert.equal(config.nodeUrl, `http://${name}:${config.port}`)
    assert.deepEqual([config.database.type, config.keysNeeded, config.host], ['postgres', true, '0.0.0.0'])
    assert.equal(config.broker?.servers.length, 1)
  }
})

test('what is around the nodes is waited for, and a stop has the time that it may take', () => {
  for (const name of ['postgres', 'nats'])
    assert.ok(services[name]?.healthcheck !== undefined, `${name} has no health check`)
  const graceMs = loadConfig({ env: {} }).shutdownGraceMs
  for (const [name, { stop_grace_period: grace = '0' }] of nodes) {
    assert.ok(Number.parseInt(grace) * 1_000 > graceMs, `${name} is killed too early`)
  }
})

test('the example of .env has every variable that a compose file asks for', () => {
  const asked = COMPOSE_FILES.flatMap((file) => Array.from(read(file).matchAll(/\$\{(\w+)/g), ([, name]) => name!))
  for (const name of asked) assert.match(read('.env.example'), new RegExp(`^${name}=`, 'm'))
})

test('every service has a limit of memory, and every file that is mounted is there', () => {
  for (const file of COMPOSE_FILES) {
    const { services: all } = parse(read(file), { merge: true }) as {
      services: Readonly<Record<string, ComposeService>>
    }
    for (const [name, { mem_limit: limit, volumes = [] }] of Object.entries(all)) {
      assert.match(limit ?? '', /^\d+[mg]$/, `${name} in ${file}`)
      const mounted = volumes.map((volume) => volume.split(':')[0]!).filter((path) => path.startsWith('.'))
      for (const path of mounted) assert.ok(existsSync(join(directory, path)), path)
    }
  }
})

test('a variant for another database has settings that are right together', () => {
  for (const file of COMPOSE_FILES) {
    const { services: all } = parse(read(file), { merge: true }) as {
      services: Readonly<Record<string, ComposeService>>
    }
    const environment = all['duetime-1']?.environment
    if (environment === undefined) continue
    const { database, nodeUrl } = loadConfig({ env: filledIn(environment) })
    assert.ok(database.type !== 'sqlite' && nodeUrl === 'http://duetime-1:8080', file)
  }
})

test('the image has the drivers of all databases', () => {
  for (const name of Object.keys(manifest.peerDependencies)) assert.ok(name in manifest.devDependencies, name)
  assert.match(dockerfile, /peerDependencies, devDependencies/)
})

test('Prometheus asks every node, with the key, under the name that the alerts expect', () => {
  const {
    scrape_configs: [job],
    rule_files: rules,
  } = parse(read('monitoring/prometheus.yaml')) as {
    readonly rule_files: readonly string[]
    readonly scrape_configs: readonly [{ job_name: string; static_configs: { targets: string[] }[] }]
  }
  assert.deepEqual([job.job_name, rules], ['duetime', ['duetime.rules.yaml']])
  assert.deepEqual(
    job.static_configs[0]!.targets,
    nodes.map(([name]) => `${name}:8080`),
  )
})
