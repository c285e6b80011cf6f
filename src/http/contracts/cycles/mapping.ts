// From the bodies, paths and queries of `cycles` to commands and names.

import type { CreateCommand } from '../../../core/rules/command.ts'
import { OnConflict } from '../../../core/rules/command.ts'
import { invalidInput } from '../../../core/errors.ts'
import { DEFAULT_NAMESPACE, parseNamespace, parseTimerId, timerIdentity } from '../../../core/timer/ids.ts'
import type { TimerIdentity } from '../../../core/timer/ids.ts'
import { TIMEOUT_DEFAULT_MS } from '../../../core/limits.ts'
import { DEFAULT_RETRY } from '../../../core/rules/retry.ts'
import { firstFiring } from '../../../core/time/firings.ts'
import { parseIsoSchedule, tooShort } from '../../../core/time/schedule.ts'
import type { Schedule } from '../../../core/time/schedule.ts'
import { CatchUp } from '../../../core/timer/timer.ts'
import type { Target } from '../../../core/targets/target.ts'
import type { Namespace, TimerId } from '../../../core/timer/timer.ts'
import { readWebTarget } from '../../../language/callback.ts'
import { metadataText } from '../../../language/metadata.ts'
import { CYCLES_PROTOCOL } from './delivery.ts'
import { TIMER_ID_CHARS_MAX } from './schema.ts'
import type { CreateBody, TenantQuery } from './schema.ts'

export type CreateContext = { readonly callbackBaseUrl: string | null; readonly traceparent: string | null }

export function toCreateCommand(body: CreateBody, { callbackBaseUrl, traceparent }: CreateContext): CreateCommand {
  const namespace = readTenant(body.tenant_id ?? undefined) ?? DEFAULT_NAMESPACE
  const id = newTimerId(body.timer_id)
  return {
    type: 'create',
    ...timerIdentity(namespace, id),
    onConflict: body.on_conflict ?? OnConflict.reject,
    minLeadMs: 0,
    spec: {
      schedule: readSchedule(body.duration_or_cycle),
      catchUp: CatchUp.all,
      target: readTarget(body.callback_url ?? null, callbackBaseUrl),
      protocol: CYCLES_PROTOCOL,
      payload: null,
      metadata: metadataText(body.metadata),
      retry: DEFAULT_RETRY,
      timeoutMs: TIMEOUT_DEFAULT_MS,
      traceparent,
      correlationId: null,
    },
  }
}

/** This contract knows no timer that is due at once. */
function readSchedule(text: string): Schedule {
  const schedule = parseIsoSchedule(text)
  if (schedule.kind === 'duration' && firstFiring(schedule, 0).dueAt === 0) throw tooShort(text, text)
  return schedule
}

/** What stands in the place of an id in the path of the statistics. */
export const STATISTICS_SEGMENT = 'stats'
const TIMER_ID = /^[\w-]+$/

/** Ids made elsewhere may be any text: they can be read and deleted, and only new ones are held to this. */
function newTimerId(text: string): TimerId {
  if (text === STATISTICS_SEGMENT)
    throw invalidInput('timer_id', `timer_id '${text}' is reserved: its path shows the statistics; choose another id`)
  if (TIMER_ID.test(text)) return parseTimerId(text, 'timer_id')
  throw invalidInput('timer_id', `timer_id must be 1 to ${TIMER_ID_CHARS_MAX} letters, digits, '-' or '_'`)
}

function readTarget(url: string | null, baseUrl: string | null): Target {
  if (url === null) return { type: 'none' }
  return readWebTarget(isRelative(url) ? resolved(url, baseUrl) : url, 'callback_url')
}

/** Two slashes would name another host. */
function isRelative(url: string): boolean {
  return url.startsWith('/') && !url.startsWith('//')
}

/** A base with a path of its own keeps it. */
function resolved(path: string, baseUrl: string | null): string {
  if (baseUrl !== null) return baseUrl.replace(/\/+$/, '') + path
  throw invalidInput(
    'callback_url',
    'callback_url is a path, and CALLBACK_BASE_URL is not set here: give an absolute http or https URL',
  )
}

/** Which timer a path and its query name. */
export function toIdentity({ timer_id }: { readonly timer_id: string }, query: TenantQuery): TimerIdentity {
  const namespace = readTenant(query.tenant_id) ?? DEFAULT_NAMESPACE
  return timerIdentity(namespace, parseTimerId(timer_id, 'timer_id'))
}

export function readTenant(text: string | undefined): Namespace | undefined {
  return text === undefined ? undefined : parseNamespace(text, 'tenant_id')
}
