// Makes the calls of the scenarios in sdks/conformance with this SDK. See the README there for the protocol.

import { createInterface } from 'node:readline'
import {
  deduplicated,
  Duetime,
  DuetimeError,
  fail,
  handler,
  reschedule,
  verifyWebhook,
  WebhookVerificationError,
} from '../src/index.ts'
import type { BatchItem, Firing, FiringAnswer, HandlerOptions, NewTimer } from '../src/index.ts'
import { SERVERS } from './frameworks.ts'

type Args = Readonly<Record<string, unknown>>
type ScriptedAnswer = {
  readonly type: 'done' | 'retry' | 'again' | 'gone' | 'throw'
  readonly reason?: string
  readonly afterSeconds?: number
  readonly at?: string
}
type Headers = Readonly<Record<string, string>>

const writeAnswer = process.stdout.write.bind(process.stdout)
// What a framework logs is no answer.
process.stdout.write = process.stderr.write.bind(process.stderr)

let client = new Duetime()
let received: Firing[] = []
const quiet = { onError: () => {} }

const OPS: Readonly<Record<string, (args: Args) => unknown>> = {
  configure: (args) => {
    client = new Duetime(args)
    received = []
  },
  create: (args) => client.create(args as NewTimer),
  get: ({ timerId, ...options }) => client.get(timerId as string, options),
  update: ({ timerId, ...changes }) => client.update(timerId as string, changes),
  cancel: ({ timerId, ...options }) => client.cancel(timerId as string, options),
  pause: ({ timerId, ...options }) => client.pause(timerId as string, options),
  resume: ({ timerId }) => client.resume(timerId as string),
  trigger: ({ timerId }) => client.trigger(timerId as string),
  retry: ({ timerId }) => client.retry(timerId as string),
  overview: (args) => client.overview(args),
  forecast: (args) => client.forecast(args),
  testCallback: (args) => client.testCallback(args),
  preview: (args) => client.preview(args as { schedule: string }),
  list: (args) => client.list(args).toArray(),
  batch: async ({ timers, ...options }) => {
    const results = await client.batch(timers as BatchItem[], options)
    return results.map((result) => (result.ok ? { timer: result.timer } : { error: errorFacts(result.error) }))
  },
  cancelMany: ({ dryRun, ...filter }) => client.cancelMany(filter, { dryRun: dryRun === true }),
  retryMany: ({ dryRun, ...filter }) => client.retryMany(filter, { dryRun: dryRun === true }),
  verify: ({ body, headers, secrets, now, toleranceSeconds }) =>
    verifyWebhook(body as string, headers as Headers, secrets as string[], {
      now: (now as number) * 1_000,
      toleranceSeconds: toleranceSeconds as number | undefined,
    }),
  handle,
  listen,
  received: () => received,
}

async function handle({ method, headers, body, secrets, answer }: Args): Promise<unknown> {
  let called = false
  const run = () => {
    called = true
    return scripted(answer as ScriptedAnswer)
  }
  const request = { method: method as string, headers: headers as Headers, ...(method === 'POST' && { body }) }
  const options = { ...quiet, secret: secrets } as HandlerOptions
  const response = await handler(run, options)(new Request('http://localhost/', request as RequestInit))
  const answered = await response.json()
  return { status: response.status, headers: Object.fromEntries(response.headers), body: answered, called }
}

async function listen({ secrets, answers, dedup, framework = 'node' }: Args): Promise<unknown> {
  const scripts = answers as Record<string, ScriptedAnswer[]>
  const answerOne = (firing: Firing) => {
    received.push(firing)
    return scripted(scripts[firing.id]?.shift())
  }
  const run = dedup === true ? deduplicated(answerOne) : answerOne
  return { url: await SERVERS[framework as string]!(run, { ...quiet, secret: secrets as string[] }) }
}

function scripted(answer: ScriptedAnswer | undefined): FiringAnswer {
  switch (answer?.type) {
    case 'retry':
      return fail(answer.reason ?? '', { retryAfterSeconds: answer.afterSeconds })
    case 'again':
      return reschedule(answer.at!)
    case 'gone':
      return fail(answer.reason ?? '', { final: true })
    case 'throw':
      throw new Error('as the scenario says')
    default:
      return undefined
  }
}

function errorFacts(error: unknown): unknown {
  if (error instanceof WebhookVerificationError) return { code: 'WEBHOOK_VERIFICATION' }
  if (!(error instanceof DuetimeError)) return { code: 'RUNNER', message: String(error) }
  const { code, message, status, retryable, attempts, details, requestId } = error
  return { code, message, status, retryable, attempts, details, requestId }
}

async function answerLine(line: string): Promise<void> {
  const { id, op, args } = JSON.parse(line) as { id: number; op: string; args: Args }
  let result: object
  try {
    result = { value: (await OPS[op]!(args)) ?? null }
  } catch (error) {
    result = { error: errorFacts(error) }
  }
  writeAnswer(`${JSON.stringify({ id, ...result })}\n`)
}

createInterface(process.stdin).on('line', (line) => void answerLine(line))
