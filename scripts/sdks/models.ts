// The models of the SDKs in Python, Go and Java, as values: which there are, and of which types their fields are. They come from
// the schemas that the service checks and documents with, so a field that is added to the API is added to every SDK by
// `npm run docs`, and `npm run check` fails until that has been done.

import { ANSWERS, REQUESTS } from '../generate-sdk-types.ts'
import type { Schema } from '../generate-sdk-types.ts'

export type FieldType =
  /** `json` is any value. */
  | { readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'instant' | 'json' }
  /** Of a closed set; `name` where it has one. */
  | { readonly kind: 'word'; readonly name: string | null; readonly words: readonly string[] }
  | { readonly kind: 'list' | 'map'; readonly of: FieldType }
  /** One, or a list of them. */
  | { readonly kind: 'oneOrMore'; readonly of: FieldType }
  | { readonly kind: 'model'; readonly name: string }

export type Field = {
  /** As in the API. */
  readonly name: string
  readonly type: FieldType
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly description: string | null
}
export type Model = {
  readonly name: string
  readonly direction: 'request' | 'answer'
  readonly description: string
  readonly fields: readonly Field[]
}

type Source = { readonly schema: unknown; readonly description: string; readonly without?: readonly string[] }

const REQUEST_MODELS: Readonly<Record<string, Source>> = {
  Callback: {
    schema: REQUESTS['Callback'],
    description: 'Where a timer fires. Its type says which of the other fields it has.',
  },
  NewTimer: { schema: REQUESTS['CreateBody'], description: 'A timer to create.' },
  TimerChanges: {
    schema: REQUESTS['UpdateBody'],
    description: 'What to change of a timer: only what is given changes.',
    without: ['namespace', 'timerId'],
  },
  TimerQuery: { schema: REQUESTS['ListBody'], description: 'Which timers, in which order, and how many on a page.' },
  BulkFilter: { schema: REQUESTS['CancelBody'], description: 'Which timers to change at once.', without: ['dryRun'] },
  PreviewQuery: { schema: REQUESTS['PreviewBody'], description: 'A schedule to look at.' },
  ForecastQuery: { schema: REQUESTS['ForecastQuery'], description: 'Of which namespace, and in which steps of time.' },
  CallbackTest: { schema: REQUESTS['CallbackTestBody'], description: 'A callback to try.' },
}

const ANSWER_MODELS: Readonly<Record<string, Source>> = {
  Timer: { schema: ANSWERS['TimerAnswer'], description: 'A timer as the service has it.' },
  TimerPage: { schema: ANSWERS['ListAnswer'], description: 'Some of the timers of a list, and where it goes on.' },
  Preview: { schema: ANSWERS['PreviewAnswer'], description: 'When a timer would fire.' },
  Canceled: { schema: ANSWERS['CancelAnswer'], description: 'What came of canceling many timers.' },
  Retried: {
    schema: (ANSWERS['RetryAnswer'] as { anyOf: readonly unknown[] }).anyOf[1],
    description: 'What came of retrying many timers.',
  },
  Overview: { schema: ANSWERS['OverviewAnswer'], description: 'How many timers there are, and what happened lately.' },
  Forecast: {
    schema: ANSWERS['ForecastAnswer'],
    description: 'How many timers are due in each step of time from now.',
  },
  CallbackTestResult: { schema: ANSWERS['CallbackTestAnswer'], description: 'What came of a callback that was tried.' },
}

/** Objects inside others, by the model and the field that they are in. */
const NESTED: Readonly<Record<string, string>> = {
  'NewTimer.retryPolicy': 'RetryPolicyOptions',
  'TimerChanges.retryPolicy': 'RetryPolicyOptions',
  'NewTimer.callback': 'Callback',
  'TimerChanges.callback': 'Callback',
  'NewTimer.dst': 'ClockChangeRules',
  'TimerChanges.dst': 'ClockChangeRules',
  'PreviewQuery.dst': 'ClockChangeRules',
  'Timer.dst': 'ClockChangeRules',
  'NewTimer.calendar': 'CalendarRule',
  'TimerChanges.calendar': 'CalendarRule',
  'PreviewQuery.calendar': 'CalendarRule',
  'Timer.calendar': 'CalendarRule',
  'Preview.unusual': 'UnusualFiring',
  'Timer.retryPolicy': 'RetryPolicy',
  'Timer.attempts': 'Attempt',
  'Timer.running': 'RunningIteration',
  'TimerPage.timers': 'Timer',
  'CallbackTest.callback': 'Callback',
  'Overview.counts': 'StatusCounts',
  'Overview.namespaces': 'NamespaceCounts',
  'Overview.gauges': 'NodeGauges',
  'Overview.lastMinute': 'ActivityCounts',
  'Overview.lastHour': 'ActivityCounts',
  'Overview.lateness': 'Lateness',
  'Overview.latenessLastMinute': 'Lateness',
  'Overview.perSecond': 'ActivitySecond',
  'Lateness.histogram': 'LatenessBucket',
  'Forecast.steps': 'ForecastStep',
  'Forecast.peak': 'ForecastPeak',
}
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  RetryPolicyOptions: 'When a failed delivery is tried again.',
  RetryPolicy: 'When a failed delivery is tried again.',
  Attempt: 'One attempt to deliver.',
  RunningIteration: 'An iteration that runs beside others of its timer.',
  ClockChangeRules: 'What a local time means that does not exist or exists twice, where clocks change.',
  CalendarRule: 'The calendar that says when nothing fires, and what becomes of a firing that it excludes.',
  UnusualFiring: 'A firing that is not simply when the schedule says.',
  StatusCounts: 'How many timers have each status.',
  NamespaceCounts: 'How many timers of a namespace have each status.',
  NodeGauges: 'What the node that answered has in memory and under way.',
  ActivityCounts: 'What happened in a time.',
  ActivitySecond: 'What happened in a second.',
  Lateness: 'How late deliveries began, in milliseconds.',
  LatenessBucket: 'How many were late by this much at most, and more than the bucket before.',
  ForecastStep: 'How many timers are due in one step.',
  ForecastPeak: 'The step with the most timers.',
}

/** What the schema of an answer leaves open because the service writes it by hand. */
const KNOWN_TYPES: Readonly<Record<string, FieldType>> = {
  'Timer.callback': { kind: 'model', name: 'Callback' },
  'Timer.metadata': { kind: 'map', of: { kind: 'json' } },
  'Preview.now': { kind: 'instant' },
  'UnusualFiring.executeAt': { kind: 'instant' },
  'UnusualFiring.nominalAt': { kind: 'instant' },
  'Preview.firings': { kind: 'list', of: { kind: 'instant' } },
  'CallbackTestResult.nextExecuteAt': { kind: 'instant' },
  // Text, as everything in a query.
  'ForecastQuery.steps': { kind: 'integer' },
}
const INSTANTS_OF_REQUESTS = ['executeAt', 'dueFrom', 'dueTo']

/** Sets of words that have a type of their own in languages that have such types. */
const WORD_NAMES: Readonly<Record<string, string>> = {
  status: 'Status',
  outcome: 'Outcome',
  onConflict: 'OnConflict',
  catchUp: 'CatchUp',
  sort: 'Sort',
  order: 'Order',
}

export type Words = { readonly name: string; readonly words: readonly string[] }

/** Models before those that have them as fields. */
export function sdkModels(): readonly Model[] {
  const models = new Map<string, Model>()
  for (const [name, source] of Object.entries(REQUEST_MODELS)) addModel(models, name, source, 'request')
  for (const [name, source] of Object.entries(ANSWER_MODELS)) addModel(models, name, source, 'answer')
  return [...models.values()]
}

/** Every set of words that has a name, once. */
export function namedWords(models: readonly Model[]): readonly Words[] {
  const found = new Map<string, Words>()
  const look = (type: FieldType): void => {
    if (type.kind === 'word' && type.name !== null) found.set(type.name, { name: type.name, words: type.words })
    if ('of' in type) look(type.of)
  }
  for (const { fields } of models) for (const { type } of fields) look(type)
  return [...found.values()]
}

function addModel(models: Map<string, Model>, name: string, source: Source, direction: Model['direction']): void {
  if (models.has(name)) return
  const schema = merged(source.schema as Schema)
  const context = { models, model: name, direction }
  const fields = Object.entries(schema.properties ?? {})
    .filter(([field]) => source.without?.includes(field) !== true)
    .map(([field, about]): Field => {
      const isRequired = schema.required?.includes(field) === true
      const isNullable = [about.type].flat().includes('null')
      const type = typeOf(about, field, context)
      return { name: field, type, isRequired, isNullable, description: about.description ?? null }
    })
  models.set(name, { name, direction, description: source.description, fields })
}

/** The variants of a union as one object: its discriminator is required, all else belongs to some of them. */
function merged(schema: Schema): Schema {
  if (schema.oneOf === undefined) return schema
  const properties: Record<string, Schema> = {}
  for (const variant of schema.oneOf) {
    for (const [name, field] of Object.entries(variant.properties ?? {})) {
      if (field.const === undefined) properties[name] = field
      else properties[name] = { enum: [...(properties[name]?.enum ?? []), field.const] }
    }
  }
  return { type: 'object', properties, required: ['type'] }
}

type Context = {
  readonly models: Map<string, Model>
  readonly model: string
  readonly direction: Model['direction']
}

function typeOf(schema: Schema, field: string, context: Context): FieldType {
  const place = `${context.model}.${field}`
  const known = KNOWN_TYPES[place]
  if (known !== undefined) return known
  if (schema.$ref === 'Timer#') return { kind: 'model', name: 'Timer' }
  const isInstant =
    schema.format === 'date-time' || (context.direction === 'request' && INSTANTS_OF_REQUESTS.includes(field))
  if (isInstant) return { kind: 'instant' }
  if (schema.enum !== undefined)
    return { kind: 'word', name: WORD_NAMES[field] ?? null, words: schema.enum.map(String) }
  if (schema.anyOf?.length === 2 && schema.anyOf[1]!.type === 'array')
    return { kind: 'oneOrMore', of: typeOf(schema.anyOf[0]!, field, context) }
  const types = [schema.type].flat().filter((type) => type !== 'null')
  if (types.length !== 1 || types[0] === undefined) return { kind: 'json' }
  if (types[0] === 'array') return { kind: 'list', of: typeOf(schema.items ?? {}, field, context) }
  if (types[0] === 'object') return objectType(schema, place, context)
  if (types[0] === 'string') return { kind: 'text' }
  return { kind: types[0] as 'integer' | 'number' | 'boolean' }
}

function objectType(schema: Schema, place: string, { models, direction }: Context): FieldType {
  const name = NESTED[place]
  if (name !== undefined) {
    addModel(models, name, { schema, description: DESCRIPTIONS[name] ?? '' }, direction)
    return { kind: 'model', name }
  }
  if (schema.properties !== undefined && Object.keys(schema.properties).length > 0)
    throw new Error(`${place} is an object without a name: give it one in scripts/sdks/models.ts`)
  const { additionalProperties } = schema
  const of = typeof additionalProperties === 'object' ? [additionalProperties.type].flat() : []
  return { kind: 'map', of: of.length === 1 && of[0] === 'string' ? { kind: 'text' } : { kind: 'json' } }
}
