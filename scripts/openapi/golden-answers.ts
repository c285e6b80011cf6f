// Examples of answers, from the golden examples in api/: the tests hold the service to those, so they are true. A value that
// differs from run to run, such as an id that the service makes, is replaced by a fixed one.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../src/runtime/version.ts'
import type { Answer, OpenApiDocument, Operation } from './openapi.ts'

const API = join(import.meta.dirname, '..', '..', 'api')
const START = Date.UTC(2030, 0, 31, 9)
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

type Step = {
  readonly request?: { readonly method: string; readonly path: string }
  readonly response?: { readonly status: number; readonly body?: unknown }
}
export type GoldenAnswer = {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}

export function goldenAnswers(): readonly GoldenAnswer[] {
  const files = globSync('*/*.json', { cwd: API }).toSorted()
  const steps = files.flatMap((file) => (JSON.parse(readFileSync(join(API, file), 'utf8')) as { steps: Step[] }).steps)
  return steps.flatMap(({ request, response }) =>
    request === undefined || response?.body === undefined
      ? []
      : [
          {
            method: request.method.toLowerCase(),
            path: request.path.split('?')[0]!,
            status: response.status,
            body: withValues(response.body),
          },
        ],
  )
}

/** The first answer of an operation with a status is its example, unless the schema has one already. */
export function fillIn(document: OpenApiDocument, answers: readonly GoldenAnswer[]): OpenApiDocument {
  const literal = new Set(Object.keys(document.paths))
  const ofOperation = (path: string, method: string) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return answers.filter(
      (one) => one.method === method && (one.path === path || (!literal.has(one.path) && pattern.test(one.path))),
    )
  }
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        withExamples(operation, ofOperation(path, method)),
      ]),
    ),
  ])
  return { ...document, paths: Object.fromEntries(paths) as OpenApiDocument['paths'] }
}

function withExamples(operation: Operation, answers: readonly GoldenAnswer[]): Operation {
  const responses = Object.entries(operation.responses).map(([status, answer]): [string, Answer] => {
    const json = answer.content?.['application/json']
    const golden = answers.find((one) => String(one.status) === status)
    if (json === undefined || json.example !== undefined || golden === undefined) return [status, answer]
    return [
      status,
      { ...answer, content: { ...answer.content, 'application/json': { ...json, example: golden.body } } },
    ]
  })
  return { ...operation, responses: Object.fromEntries(responses) }
}

function withValues(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (_key, value: unknown) => (typeof value === 'string' ? valueOf(value) : value)),
  )
}

const FIXED: readonly (readonly [RegExp, unknown])[] = [
  [/^<instant>$/, new Date(START).toISOString()],
  [/^<number>$/, 1],
  [/^<(?:text|any)(?::.*)?>$/, 'text'],
  [/^<version>$/, VERSION],
  // What a scenario remembers by a name of its own is an id.
  [/^<[\w-]+(?::.*)?>$/, '01930a4e-7c3b-7d11-9a52-3f6c8b1e2d40'],
]

/** What stands for a placeholder; see api/README.md. */
function valueOf(text: string): unknown {
  const [, sign, count, unit] = /^<instant:([+-])(\d+)(ms|[smhd])>$/.exec(text) ?? []
  if (unit !== undefined) return new Date(START + Number(`${sign}${count}`) * UNITS[unit]!).toISOString()
  const withReceiver = text.replaceAll('<receiver>', 'https://example.com')
  return (FIXED.find(([pattern]) => pattern.test(withReceiver)) ?? [null, withReceiver])[1]
}
