// What arrived at the sink, for someone who watches: which timer, how late, what it carried, what it was answered.

import { visible } from '../output/visible-text.ts'
import { lengthText } from '../output/readable-time.ts'
import type { Paint } from '../command/terminal.ts'
import type { Received } from './sink.ts'

const BODY_CHARS_MAX = 1_000
const INDENT = ' '.repeat(4)

/** Everybody's; those that the timer itself has are worth seeing. */
const USUAL = new Set([
  'host',
  'connection',
  'content-type',
  'content-length',
  'user-agent',
  'idempotency-key',
  'transfer-encoding',
])

export function receivedText(received: Received, paint: Paint): string {
  const { at, method, path, headers, status, body } = received
  const callback = callbackOf(body)
  const colour = status < 300 ? 'green' : 'red'
  const title = callback.id === null ? '' : `${paint('bold', callback.id)}  `
  const time = new Date(at).toISOString().replace('T', ' ').slice(0, 23)
  const lines = [
    `${paint('dim', time)}  ${title}${visible(`${method} ${path}`)}  ${paint(colour, `→ ${status}`)}`,
    facts(callback.facts),
    facts([signatureText(received, paint), ...shown(headers)]),
    callback.content === '' ? '' : `${INDENT}${shortened(callback.content)}`,
  ]
  return `${lines.filter((line) => line.trim() !== '').join('\n')}\n`
}

type Callback = { readonly id: string | null; readonly facts: readonly string[]; readonly content: string }

/** The bodies of the contracts `v1` and `cycles` say who they are for; any other is shown as it is. */
function callbackOf(body: string): Callback {
  const fields = objectOf(body)
  const id = textIn(fields, 'id') ?? textIn(fields, 'timer_id')
  if (id === null) return { id, facts: [], content: body }
  const namespace = textIn(fields, 'namespace') ?? textIn(fields, 'tenant_id')
  const dueAt = textIn(fields, 'executeAt') ?? textIn(fields, 'scheduled_at')
  const firedAt = textIn(fields, 'firedAt') ?? textIn(fields, 'fired_at')
  return {
    id: visible(id),
    facts: [
      ...(dueAt === null || firedAt === null
        ? []
        : [visible(`due ${dueAt}, ${latenessText({ dueAt, firedAt, attempt: fields['attempt'] })}`)]),
      ...(namespace === null ? [] : [visible(`namespace ${namespace}`)]),
      ...['attempt', 'iteration'].flatMap((name) =>
        typeof fields[name] === 'number' ? [`${name} ${fields[name]}`] : [],
      ),
    ],
    content: contentText(fields['payload'] ?? fields['metadata']),
  }
}

function contentText(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

type Times = { readonly dueAt: string; readonly firedAt: string; readonly attempt: unknown }

/** A repeated attempt is not late: it was due before. */
function latenessText({ dueAt, firedAt, attempt }: Times): string {
  const ms = Date.parse(firedAt) - Date.parse(dueAt)
  if (Number.isNaN(ms)) return `fired ${firedAt}`
  if (typeof attempt === 'number' && attempt > 1) return `${lengthText(ms)} ago`
  return ms === 0 ? 'on time' : `${lengthText(ms)} late`
}

function signatureText({ headers, signature }: Received, paint: Paint): string {
  const id = headers['webhook-id']
  const words = {
    verified: paint('green', 'signature verified'),
    wrong: paint('red', 'signature WRONG'),
    missing: 'not signed',
  }
  return typeof id === 'string' ? `${visible(`webhook-id ${id}`)} · ${words[signature]}` : words[signature]
}

function shown(headers: Received['headers']): string[] {
  const others = Object.entries(headers).filter(([name]) => !USUAL.has(name) && !name.startsWith('webhook-'))
  return others.map(([name, value]) => visible(`${name}: ${String(value)}`))
}

function facts(all: readonly string[]): string {
  return all.length === 0 ? '' : `${INDENT}${all.join(' · ')}`
}

function objectOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function textIn(fields: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = fields[name]
  return typeof value === 'string' ? value : null
}

function shortened(content: string): string {
  return visible(content.length > BODY_CHARS_MAX ? `${content.slice(0, BODY_CHARS_MAX)}…` : content)
}
