// The timer as something to paste: a request that makes it again, as curl or as TypeScript.

import type { Timer } from '../../api/timer.ts'
import { repeats } from '../../schedule/schedule-form.ts'
import { session } from '../../session/session.ts'

/** What a create would need. Cycles by their schedule, everything else by its instant. */
export function createBody(timer: Timer): Record<string, unknown> {
  const { namespace, id, executeAt, schedule, timeZone, callback, payload, metadata, retryPolicy, callbackTimeout } =
    timer
  const isCycle = schedule !== undefined && repeats(schedule)
  const hasHeaders = callback?.headers !== undefined
  return {
    ...(namespace === 'default' ? {} : { namespace }),
    id,
    ...(isCycle ? { schedule, ...(timeZone === undefined ? {} : { timeZone }) } : { executeAt }),
    ...(callback?.type === 'http' && !hasHeaders ? { callbackUrl: callback.url } : { callback }),
    ...(payload === undefined ? {} : { payload }),
    ...(metadata === undefined ? {} : { metadata }),
    retryPolicy,
    callbackTimeout,
  }
}

export function asCurl(timer: Timer, origin = location.origin): string {
  const lines = [`curl ${quoted(`${origin}/api/v1/timers/create`)}`, `-H 'Content-Type: application/json'`]
  // The key itself stays here: what is pasted ends up in chats and histories.
  if (session.key !== null) lines.push('-H "X-API-Key: $DUETIME_API_KEY"')
  lines.push(`-d ${quoted(JSON.stringify(createBody(timer), null, 2))}`)
  return lines.join(' \\\n  ')
}

/** For a shell: nothing between single quotes is special, but the single quote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

export function asTypeScript(timer: Timer, origin = location.origin): string {
  const options =
    session.key === null ? `{ url: '${origin}' }` : `{ url: '${origin}', apiKey: process.env.DUETIME_API_KEY }`
  return `import { Duetime } from '@duetime/client'

const client = new Duetime(${options})
await client.create(${JSON.stringify(createBody(timer), null, 2).replaceAll(/^( *)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')})
`
}
