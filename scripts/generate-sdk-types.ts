// The types of the TypeScript SDK, written from the schemas that the server validates and documents with, so that the
// two cannot drift: `npm run docs` writes the file, and `npm run check` fails when it is stale. The SDK itself has no
// dependencies, so what it gets is plain TypeScript.

import type { TSchema } from 'typebox'
import { ANSWERED_CODES } from '../src/core/errors.ts'
import { BATCH_TIMERS_MAX } from '../src/core/limits.ts'
import type { Verb } from '../src/http/contracts/v1/examples.ts'
import { operation } from '../src/http/contracts/v1/operations.ts'
import * as bodies from '../src/http/contracts/v1/schema.ts'
import { ErrorAnswer, TimerAnswer } from '../src/language/answer-schema.ts'
import { CallbackField } from '../src/language/callback.ts'
import { CalendarBody, GET_CALENDAR } from '../src/http/calendars/operations.ts'
import { CallbackTestBody } from '../src/http/observing/callback-test-body.ts'
import { CALLBACK_TEST, FORECAST, OVERVIEW } from '../src/http/observing/operations.ts'
import { ForecastQuery } from '../src/http/observing/query.ts'

/** What of JSON Schema the contracts use; anything else is an error here rather than a wrong type there. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly format?: string
}

/** An absent field of a request may also be written as `undefined`; JSON leaves it out. Answers never have that. */
type Direction = 'request' | 'answer'

export const REQUESTS: Readonly<Record<string, TSchema>> = {
  Callback: CallbackField,
  CreateBody: bodies.CreateBody,
  UpdateBody: bodies.UpdateBody,
  GetBody: bodies.GetBody,
  DeleteBody: bodies.DeleteBody,
  NameBody: bodies.NameBody,
  ListBody: bodies.ListBody,
  CancelBody: bodies.CancelBody,
  PreviewBody: bodies.PreviewBody,
  ForecastQuery,
  CallbackTestBody,
  CalendarBody,
}

export const ANSWERS: Readonly<Record<string, unknown>> = {
  TimerAnswer,
  ErrorAnswer,
  ListAnswer: answerTo('list'),
  BatchAnswer: answerTo('batch'),
  CancelAnswer: answerTo('cancel'),
  RetryAnswer: answerTo('retry'),
  PreviewAnswer: answerTo('preview'),
  OverviewAnswer: answerOf(OVERVIEW),
  ForecastAnswer: answerOf(FORECAST),
  CallbackTestAnswer: answerOf(CALLBACK_TEST),
  CalendarAnswer: answerOf(GET_CALENDAR),
}

const NAMES_BY_REF: Readonly<Record<string, string>> = { 'Timer#': 'TimerAnswer', 'Error#': 'ErrorAnswer' }

export function sdkTypes(): string {
  return `// Generated from the schemas of the server by \`npm run docs\`: change it there.

export const BATCH_TIMERS_MAX = ${BATCH_TIMERS_MAX}

/** What the server's refusals are called. */
export type ServerErrorCode =${ANSWERED_CODES.map((code) => `\n  | '${code}'`).join('')}

${Object.entries(REQUESTS)
  .map(([name, schema]) => declaration(name, schema as Schema, 'request'))
  .join('\n')}
${Object.entries(ANSWERS)
  .map(([name, schema]) => declaration(name, schema as Schema, 'answer'))
  .join('\n')}`
}

function answerTo(verb: Verb): unknown {
  return answerOf(operation(verb, bodies.NameBody))
}

function answerOf({ response }: { readonly response: Record<string, unknown> }): unknown {
  return (response['200'] as { content: { 'application/json': { schema: unknown } } }).content['application/json']
    .schema
}

function declaration(name: string, schema: Schema, direction: Direction): string {
  return `export type ${name} = ${typeOf(schema, direction, '')}\n`
}

function typeOf(schema: Schema, direction: Direction, indent: string): string {
  if (schema.$ref !== undefined) return NAMES_BY_REF[schema.$ref] ?? fail(schema)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map(literal))
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) return union(variants.map((variant) => typeOf(variant, direction, indent)))
  if (schema.type === undefined) return 'unknown'
  return union([schema.type].flat().map((type) => typeNamed(type, schema, direction, indent)))
}

function typeNamed(type: string, schema: Schema, direction: Direction, indent: string): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return `readonly ${bracketed(typeOf(schema.items ?? {}, direction, indent))}[]`
  if (type === 'object') return objectType(schema, direction, indent)
  return ['string', 'number', 'boolean', 'null'].includes(type) ? type : fail(schema)
}

function objectType(schema: Schema, direction: Direction, indent: string): string {
  const { properties = {}, required = [], additionalProperties } = schema
  const names = Object.keys(properties)
  if (names.length === 0) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, direction, indent) : 'unknown'
    return `Readonly<Record<string, ${value}>>`
  }
  const inner = `${indent}  `
  const fields = names.map((name) => {
    const { description } = properties[name]!
    const type = typeOf(properties[name]!, direction, inner)
    const isOptional = !required.includes(name)
    const comment = description === undefined ? '' : `${inner}/** ${description} */\n`
    const orUndefined = isOptional && direction === 'request' && type !== 'unknown' ? ' | undefined' : ''
    return `${comment}${inner}readonly ${name}${isOptional ? '?' : ''}: ${type}${orUndefined}\n`
  })
  return `{\n${fields.join('')}${indent}}`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function bracketed(type: string): string {
  return /^[\w.]+$/.test(type) ? type : `(${type})`
}

function fail(schema: Schema): never {
  throw new Error(`scripts/generate-sdk-types.ts cannot write a type for ${JSON.stringify(schema)}`)
}
