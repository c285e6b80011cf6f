// The JSON schemas that kubeconform checks manifests with, one file for each kind. Its own source is a site of GitHub; these
// come from Go modules, as everything else here does: those of Kubernetes with kubectl-validate, and those of the Prometheus
// operator with the operator. An unknown field is an error, which is what finds a wrong indentation.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { command } from '../servers/install/command.ts'

const KUBERNETES = { module: 'sigs.k8s.io/kubectl-validate', version: 'v0.0.5-0.20260105161640-a97ccfaca20b' }
const OPERATOR = { module: 'github.com/prometheus-operator/prometheus-operator', version: 'v0.85.0' }
const RELEASE = '1.35'

type Schema = Readonly<Record<string, unknown>> & {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly 'x-kubernetes-group-version-kind'?: readonly Kind[]
}
type Kind = { readonly group: string; readonly version: string; readonly kind: string }
type OpenApi = { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } }
type ResourceDefinition = {
  readonly spec: {
    readonly group: string
    readonly names: { readonly kind: string }
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[]
  }
}

export async function writeKubernetesSchemas(directory: string): Promise<void> {
  for (const { kind, schema } of [...(await builtIn()), ...(await ofOperator())])
    writeFileSync(join(directory, schemaFile(kind)), JSON.stringify(schema))
}

/** As kubeconform asks for it: `{{.ResourceKind}}{{.KindSuffix}}.json`. */
function schemaFile({ group, version, kind }: Kind): string {
  const [firstOfGroup = ''] = group.split('.')
  return `${[kind, firstOfGroup, version]
    .filter((part) => part !== '')
    .join('-')
    .toLowerCase()}.json`
}

async function builtIn(): Promise<{ kind: Kind; schema: object }[]> {
  const folder = join(await moduleFolder(KUBERNETES), 'pkg', 'openapiclient', 'builtins', RELEASE)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  return files.flatMap((name) => {
    const { components } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as OpenApi
    return Object.entries(components.schemas).flatMap(([key, value]) =>
      (value['x-kubernetes-group-version-kind'] ?? []).map((kind) => ({
        kind,
        schema: { $ref: `#/components/schemas/${key}`, components: { schemas: neededBy(key, components.schemas) } },
      })),
    )
  })
}

/** A schema and all that it refers to, closed; the document of a group has several hundred. */
function neededBy(first: string, all: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const found: Record<string, Schema> = {}
  const waiting = [first]
  for (const key of waiting) {
    if (key in found) continue
    found[key] = closed(all[key]!)
    const references = JSON.stringify(all[key]).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
    waiting.push(...Array.from(references, ([, name]) => name!))
  }
  return found
}

async function ofOperator(): Promise<{ kind: Kind; schema: object }[]> {
  const folder = join(await moduleFolder(OPERATOR), 'example', 'prometheus-operator-crd')
  return ['servicemonitors', 'prometheusrules'].flatMap((name) => {
    const text = readFileSync(join(folder, `monitoring.coreos.com_${name}.yaml`), 'utf8')
    const { spec } = parse(text) as ResourceDefinition
    return spec.versions.map((version) => ({
      kind: { group: spec.group, version: version.name, kind: spec.names.kind },
      schema: closed(version.schema.openAPIV3Schema),
    }))
  })
}

/** Objects that name their properties have no others; numbers that may be given as text are marked only. */
function closed(schema: Schema): Schema {
  const inside = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, isSchema(value) ? closed(value) : value]),
  )
  const properties =
    schema.properties &&
    Object.fromEntries(Object.entries(schema.properties).map(([key, value]) => [key, closed(value)]))
  const { format: _format, ...plain } = inside as Record<string, unknown>
  const isOpen = properties === undefined || 'additionalProperties' in schema || keepsUnknown(schema)
  return { ...plain, ...(properties && { properties }), ...(!isOpen && { additionalProperties: false }) }
}

function keepsUnknown(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true || 'allOf' in schema
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function moduleFolder({ module, version }: { module: string; version: string }): Promise<string> {
  const said = await command('go', ['mod', 'download', '-json', `${module}@${version}`])
  return (JSON.parse(said) as { Dir: string }).Dir
}
