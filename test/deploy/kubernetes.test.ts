// The Helm chart and the Kustomize base: what they render, whether Kubernetes takes it, and whether it fits the program.
//
// After a change on purpose: UPDATE_GOLDEN=1 node --test test/deploy/kubernetes.test.ts

import assert from 'node:assert/strict'
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments, stringify } from 'yaml'
import { command } from '../../scripts/servers/install/command.ts'
import { toolsHere } from '../../scripts/tools/tools.fixture.ts'
import { toolPath } from '../../scripts/tools/tools.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { SETTINGS } from '../../src/runtime/config/schema.ts'
import { VERSION } from '../../src/runtime/version.ts'
import { ROOT } from '../support/packed.ts'
import { tempDir } from '../support/temp-dir.ts'

type Env = { readonly name: string; readonly value?: string }
type Container = {
  readonly image: string
  readonly env: readonly Env[]
  readonly ports: readonly { readonly containerPort: number }[]
  readonly livenessProbe: { readonly httpGet: { readonly path: string } }
}
type PodSpec = { readonly containers: readonly [Container]; readonly terminationGracePeriodSeconds: number }
type Resource = {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: { readonly groups?: unknown; readonly template?: { readonly spec: PodSpec } }
}

const deploy = join(ROOT, 'deploy')
const chart = join(deploy, 'helm', 'duetime')
const KUBERNETES = '1.35'
const EVERYTHING = ['--values', join(deploy, 'helm', 'examples', 'everything.yaml')]
const helm = toolsHere('helm')
const validated = toolsHere('helm', 'kubeconform', 'kubernetes-schemas')

const read = (...names: readonly string[]): string => readFileSync(join(deploy, ...names), 'utf8')
const resources = (text: string): Resource[] =>
  parseAllDocuments(text)
    .map((one) => one.toJS() as Resource)
    .filter(Boolean)

function rendered(...args: readonly string[]): Promise<string> {
  return command(toolPath('helm'), ['template', 'duetime', chart, '--kube-version', KUBERNETES, ...args])
}

/** What Kubernetes says to them; an unknown field is an error. */
function validate(path: string): Promise<string> {
  const schemas = toolPath('kubernetes-schemas', '{{.ResourceKind}}{{.KindSuffix}}.json')
  return command(toolPath('kubeconform'), ['-strict', '-summary', '-schema-location', schemas, path])
}

function podOf(all: readonly Resource[]): PodSpec {
  return all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'duetime')!.spec!.template!.spec
}

test('helm lint has nothing to say, and a wrong value is refused by name', { skip: helm }, async () => {
  await command(toolPath('helm'), ['lint', '--strict', '--kube-version', KUBERNETES, chart])
  await assert.rejects(rendered('--set', 'replicas=3'), /additional properties 'replicas' not allowed/)
  await assert.rejects(rendered('--set', 'settings.log_level=info'), /log_level/)
})

for (const [name, args] of [
  ['defaults', []],
  ['everything', EVERYTHING],
] as const) {
  test(`the chart with ${name} renders what its golden file has`, { skip: helm }, async () => {
    const path = join(deploy, 'helm', 'golden', `${name}.yaml`)
    const text = shortened(resources(await rendered(...args)))
    if (process.env['UPDATE_GOLDEN'] !== undefined) writeFileSync(path, text)
    assert.equal(text, readFileSync(path, 'utf8'))
  })

  test(`Kubernetes takes the chart with ${name}`, { skip: validated }, async (t) => {
    const file = join(tempDir(t), 'rendered.yaml')
    writeFileSync(file, await rendered(...args))
    assert.match(await validate(file), /Invalid: 0, Errors: 0, Skipped: 0/)
  })
}

/** The alerts and the dashboard are long, and files of their own. */
function shortened(all: readonly Resource[]): string {
  const short = (one: Resource) => ({
    ...one,
    ...(one.data !== undefined && { data: Object.fromEntries(Object.keys(one.data).map((key) => [key, '…'])) }),
    ...(one.spec?.groups !== undefined && { spec: { groups: '…' } }),
  })
  return all.map((one) => stringify(short(one), { lineWidth: 0 })).join('---\n')
}

test('the chart has the alerts and the dashboard as they are', { skip: helm }, async () => {
  const all = resources(await rendered(...EVERYTHING))
  const rules = resources(read('prometheus', 'duetime.rules.yaml'))[0] as unknown as { groups: unknown }
  assert.deepEqual(all.find(({ kind }) => kind === 'PrometheusRule')!.spec!.groups, rules.groups)
  const dashboard = all.find(({ data }) => data?.['duetime.json'] !== undefined)!.data!['duetime.json']!
  assert.deepEqual(JSON.parse(dashboard), JSON.parse(read('grafana', 'duetime.json')))
  const asMap = resources(await rendered(...EVERYTHING, '--set', 'metrics.alerts.kind=ConfigMap'))
  const text = asMap.find(({ data }) => data?.['duetime.rules.yaml'] !== undefined)!.data!['duetime.rules.yaml']!
  assert.equal(text.trim(), read('prometheus', 'duetime.rules.yaml').trim())
})

test(
  'a pod has settings that exist, its own address, the right port, and the time that a stop may take',
  { skip: helm },
  async () => {
    const { containers, terminationGracePeriodSeconds } = podOf(resources(await rendered(...EVERYTHING)))
    const [{ env, ports, livenessProbe }] = containers
    const known = new Set([...Object.values(SETTINGS).map((setting) => setting.env), 'POD_IP'])
    for (const { name } of env) assert.ok(known.has(name), `${name} is not a setting`)
    const given = Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
    const { KEYS_FILE: _, ...settings } = given
    const secret = { DATABASE_URL: 'postgres://duetime:x@db/duetime', API_KEY: 'x'.repeat(40) }
    const config = loadConfig({
      env: { ...secret, ...settings, NODE_URL: settings['NODE_URL']!.replace('$(POD_IP)', '10.0.0.7') },
    })
    assert.equal(config.nodeUrl, `http://10.0.0.7:${config.port}`)
    assert.deepEqual([ports[0]!.containerPort, config.host], [config.port, '0.0.0.0'])
    assert.ok(terminationGracePeriodSeconds * 1_000 > 5_000 + 2 * config.shutdownGraceMs + 5_000)
    assert.equal(livenessProbe.httpGet.path, '/livez', 'no restart helps when the database is away')
  },
)

test('chart, base and program have the same version', () => {
  assert.deepEqual(
    [...read('helm', 'duetime', 'Chart.yaml').matchAll(/^(?:version|appVersion): (.*)$/gm)].map(([, one]) => one),
    [VERSION, VERSION],
  )
  assert.ok(podOf(resources(read('kustomize', 'base', 'deployment.yaml'))).containers[0].image.endsWith(`:${VERSION}`))
})

test('the pods of the base are those of the chart', { skip: helm }, async () => {
  const withoutInstance = (text: string) => text.replaceAll(/^ *app\.kubernetes\.io\/instance: .*\n/gm, '')
  assert.deepEqual(
    podOf(resources(read('kustomize', 'base', 'deployment.yaml'))),
    podOf(resources(withoutInstance(await rendered()))),
  )
})

test(
  'Kubernetes takes the base and the example',
  { skip: toolsHere('kubeconform', 'kubernetes-schemas') },
  async () => {
    for (const name of [
      'base/deployment',
      'base/service',
      'base/availability',
      'base/network-policy',
      'example/postgresql',
      'example/namespace',
    ])
      assert.match(await validate(join(deploy, 'kustomize', `${name}.yaml`)), /Invalid: 0, Errors: 0, Skipped: 0/)
  },
)

test('Kustomize builds the example', { skip: toolsHere('kustomize') }, async (t) => {
  const copy = join(tempDir(t), 'kustomize')
  cpSync(join(deploy, 'kustomize'), copy, { recursive: true })
  renameSync(join(copy, 'example', 'secret.env.example'), join(copy, 'example', 'secret.env'))
  const built = resources(await command(toolPath('kustomize'), ['build', join(copy, 'example')]))
  const kinds = ['Deployment', 'Namespace', 'NetworkPolicy', 'PodDisruptionBudget', 'Secret', 'Service', 'Service']
  assert.deepEqual(built.map(({ kind }) => kind).toSorted(), [...kinds, 'ServiceAccount', 'StatefulSet'])
})
