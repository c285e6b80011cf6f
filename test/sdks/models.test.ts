// The models of all SDKs are generated, so a field of the API cannot be forgotten in one of them. What could be: to leave a schema, an
// operation or a scenario out. This holds them against the service's own OpenAPI document.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { sdkModels } from '../../scripts/sdks/models.ts'
import type { FieldType } from '../../scripts/sdks/models.ts'
import type { Scenario } from './support/scenario.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const VERB_PATH = /^\/api\/v1\/timers\/(\w+)$/

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}
type Content = { readonly content?: { readonly 'application/json'?: { readonly schema: Schema } } }
type Operation = {
  readonly tags?: readonly string[]
  readonly requestBody?: Content
  readonly responses: Record<string, Content>
}
type Document = {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Of each verb: the models of its body and answer, and the fields that the methods of the SDKs have as parameters or keep to themselves. */
const VERBS: Readonly<
  Record<string, { readonly models: readonly string[]; readonly besides?: readonly string[]; readonly op?: string }>
> = {
  create: { models: ['NewTimer', 'Timer'] },
  get: { models: ['Timer'], besides: ['namespace', 'timerId', 'includeSecrets'] },
  update: { models: ['TimerChanges', 'Timer'], besides: ['namespace', 'timerId'] },
  delete: { models: [], besides: ['namespace', 'timerId', 'ifVersion'], op: 'cancel' },
  list: { models: ['TimerQuery', 'TimerPage'] },
  batch: {
    models: [],
    besides: [
      'timers',
      'onConflict',
      'results',
      'status',
      'timer',
      'error',
      'message',
      'details',
      'created',
      'updated',
      'deleted',
      'failed',
    ],
  },
  cancel: { models: ['BulkFilter', 'Canceled'], besides: ['dryRun'], op: 'cancelMany' },
  trigger: { models: ['Timer'], besides: ['namespace', 'timerId'] },
  pause: { models: ['Timer'], besides: ['namespace', 'timerId'] },
  resume: { models: ['Timer'], besides: ['namespace', 'timerId'] },
  retry: { models: ['BulkFilter', 'Timer', 'Retried'], besides: ['timerId', 'dryRun'] },
  preview: { models: ['PreviewQuery', 'Preview'] },
}

/** Parameters that only the SDK for TypeScript has. */
const NOT_YET = ['pause: until']

/** A word or an object: any value in these SDKs, so its fields have no models. */
const ANY_VALUE = ['catchUp']

const document = parse(readFileSync(join(ROOT, 'api', 'api.yaml'), 'utf8')) as Document
const operations = Object.entries(document.paths).flatMap(([path, { post }]) => {
  const verb = VERB_PATH.exec(path)?.[1]
  return verb !== undefined && post?.tags?.includes('timers') === true ? [{ verb, operation: post }] : []
})

test('every operation of v1 is known to the SDKs, and a scenario calls it', () => {
  const verbs = operations.map(({ verb }) => verb)
  assert.deepEqual(verbs.toSorted(), Object.keys(VERBS).toSorted(), 'add the verb here, to every SDK and to a scenario')
  const folder = join(ROOT, 'sdks', 'conformance')
  const scenarios = globSync('*.json', { cwd: folder }).flatMap(
    (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario[],
  )
  const called = new Set(scenarios.flatMap(({ steps }) => steps.map((step) => ('call' in step ? step.call : ''))))
  for (const verb of verbs)
    assert.ok(called.has(VERBS[verb]!.op ?? verb), `no scenario in sdks/conformance calls ${verb}`)
})

test('every field of v1 is in the models', () => {
  const missing = operations.flatMap(({ verb, operation }) => {
    const { models, besides = [] } = VERBS[verb]!
    const known = new Set([...besides, ...models.flatMap((model) => fieldsOfModel(model))])
    const schemas = [schemaOf(operation.requestBody), schemaOf(operation.responses['200'])]
    const asked = schemas.flatMap((schema) => (schema === undefined ? [] : fieldsOf(schema)))
    return [...new Set(asked)].filter((field) => !known.has(field)).map((field) => `${verb}: ${field}`)
  })
  assert.deepEqual(missing, NOT_YET, 'name their models in scripts/sdks/models.ts, and run npm run docs')
})

test('the generated files of all languages have every field of the models', () => {
  const texts = {
    python: readFileSync(join(ROOT, 'sdks/python/src/duetime/_models.py'), 'utf8'),
    go: readFileSync(join(ROOT, 'sdks/go/models.go'), 'utf8'),
  }
  for (const { name, fields } of sdkModels()) {
    const java = readFileSync(join(ROOT, 'sdks/java/src/main/java/dev/duetime/model', `${name}.java`), 'utf8')
    for (const { name: field } of fields) {
      assert.ok(texts.go.includes(`json:"${field}`), `Go has no ${name}.${field}`)
      assert.match(
        texts.python,
        new RegExp(`^ {4}${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_?: `, 'm'),
      )
      assert.match(java, new RegExp(` ${field}[,)]`), `Java has no ${name}.${field}`)
    }
  }
})

function schemaOf(content: Content | undefined): Schema | undefined {
  return content?.content?.['application/json']?.schema
}

/** With the fields of objects inside: retryPolicy, retryPolicy.maxRetries, … */
function fieldsOf(schema: Schema, prefix = ''): string[] {
  if (schema.$ref !== undefined) return fieldsOf(document.components.schemas[schema.$ref.split('/').at(-1)!]!, prefix)
  if (prefix.split('.').includes('timers') || prefix.split('.').includes('timer')) return [] // has its own check
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((variant) => fieldsOf(variant, prefix))
  const items = schema.items === undefined ? [] : fieldsOf(schema.items, prefix)
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    return [`${prefix}${name}`, ...(ANY_VALUE.includes(name) ? [] : fieldsOf(field, `${prefix}${name}.`))]
  })
  return [...variants, ...items, ...own].map((field) => field.replace(/^results\./, ''))
}

function fieldsOfModel(name: string, prefix = ''): string[] {
  const model = sdkModels().find((one) => one.name === name)
  assert.ok(model !== undefined, `there is no model ${name}`)
  return model.fields.flatMap(({ name: field, type }) => [
    `${prefix}${field}`,
    ...fieldsOfType(type, `${prefix}${field}.`),
  ])
}

function fieldsOfType(type: FieldType, prefix: string): string[] {
  if (type.kind === 'model' && type.name !== 'Timer') return fieldsOfModel(type.name, prefix)
  return 'of' in type ? fieldsOfType(type.of, prefix) : []
}
