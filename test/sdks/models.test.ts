// The models of all SDKs are generated, so a field of the API cannot be forgotten in one of them. What could be forgotten: a schema, an
// operation or a scenario. This holds them against the service's own OpenAPI document.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { sdkModels } from '../../scripts/sdks/models.ts'
import type { FieldType } from '../../scripts/sdks/models.ts'
import type { Scenario } from './support/scenario.ts'

const ROOT = join(import.meta.dirname, '..', '..')
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
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: Content
  readonly responses: Record<string, Content>
}
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Of each operation: the models of its body and answer, the fields that the methods of the SDKs have as parameters or keep to themselves, and what the runners call it. */
const OPERATIONS: Readonly<
  Record<string, { readonly op: string; readonly models: readonly string[]; readonly besides?: readonly string[] }>
> = {
  createTimer: { op: 'create', models: ['NewTimer', 'Timer'] },
  getTimer: { op: 'get', models: ['Timer'], besides: ['namespace', 'timerId', 'includeSecrets'] },
  updateTimer: { op: 'update', models: ['TimerChanges', 'Timer'], besides: ['namespace', 'timerId'] },
  deleteTimer: { op: 'cancel', models: [], besides: ['namespace', 'timerId', 'ifVersion'] },
  listTimer: { op: 'list', models: ['TimerQuery', 'TimerPage'] },
  batchTimer: {
    op: 'batch',
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
      // Only for those who ask for short answers, as the SDK for TypeScript does.
      ...['made', 'made.executeAt', 'made.createdAt', 'made.version', 'made.deliveryId', 'plainTimer'],
    ],
  },
  cancelTimer: { op: 'cancelMany', models: ['BulkFilter', 'Canceled'], besides: ['dryRun'] },
  triggerTimer: { op: 'trigger', models: ['Timer'], besides: ['namespace', 'timerId'] },
  pauseTimer: { op: 'pause', models: ['Timer'], besides: ['namespace', 'timerId', 'until'] },
  resumeTimer: { op: 'resume', models: ['Timer'], besides: ['namespace', 'timerId'] },
  retryTimer: { op: 'retry', models: ['BulkFilter', 'Timer', 'Retried'], besides: ['timerId', 'dryRun'] },
  previewTimer: { op: 'preview', models: ['PreviewQuery', 'Preview'] },
  overview: { op: 'overview', models: ['Overview'] },
  forecast: { op: 'forecast', models: ['ForecastQuery', 'Forecast'] },
  testCallback: { op: 'testCallback', models: ['CallbackTest', 'CallbackTestResult'] },
}

const CALENDARS = 'made by people who plan: duetime calendars, the page, and the SDK for TypeScript have them'

/** What the SDKs in Python, Go and Java do not have, and why: an operation that is neither here nor above was forgotten. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  live: 'for pages that show what happens; the SDK for TypeScript has it, and programs are told by deliveries',
  cluster: 'for operators: duetime cluster, the page, and the SDK for TypeScript have it',
  listCalendars: CALENDARS,
  getCalendar: CALENDARS,
  putCalendar: CALENDARS,
  deleteCalendar: CALENDARS,
  alive: 'for probes',
  health: 'for probes',
  ready: 'for probes',
  metrics: 'for Prometheus',
  openapi: 'for generators of clients',
}

/** Contracts of other systems, for clients that are written already. */
const OTHER_CONTRACTS = ['cycles', 'groups', 'platform']

/** A word or an object: any value in these SDKs, so its fields have no models. */
const ANY_VALUE = ['catchUp']

const document = parse(readFileSync(join(ROOT, 'api', 'api.yaml'), 'utf8')) as Document
const all = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .filter(({ tags }) => !tags.some((tag) => OTHER_CONTRACTS.includes(tag)))
const operations = all.filter(({ operationId }) => operationId in OPERATIONS)

test('every operation is in the SDKs or left out for a reason, and a scenario calls it', () => {
  const found = all.map(({ operationId }) => operationId)
  const known = [...Object.keys(OPERATIONS), ...Object.keys(LEFT_OUT)]
  const words = 'add it here, to every SDK, its runner and a scenario; or say why it is left out'
  assert.deepEqual(found.toSorted(), known.toSorted(), words)
  const folder = join(ROOT, 'sdks', 'conformance')
  const scenarios = globSync('*.json', { cwd: folder }).flatMap(
    (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario[],
  )
  const called = new Set(scenarios.flatMap(({ steps }) => steps.map((step) => ('call' in step ? step.call : ''))))
  for (const { op } of Object.values(OPERATIONS))
    assert.ok(called.has(op), `no scenario in sdks/conformance calls ${op}`)
})

test('every field of these operations is in the models', () => {
  const missing = operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => {
    const { models, besides = [] } = OPERATIONS[operationId]!
    const known = new Set([...besides, ...models.flatMap((model) => fieldsOfModel(model))])
    const queried = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    const schemas = [schemaOf(requestBody), schemaOf(responses['200'])]
    const asked = schemas.flatMap((schema) => (schema === undefined ? [] : fieldsOf(schema)))
    return [...new Set([...queried, ...asked])]
      .filter((field) => !known.has(field))
      .map((field) => `${operationId}: ${field}`)
  })
  assert.deepEqual(missing, [], 'name their models in scripts/sdks/models.ts, and run npm run docs')
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
