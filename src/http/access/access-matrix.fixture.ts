// Who may use which route: every route of every contract, with what it takes to use it. A route that is not here fails
// the test, so nobody adds one without deciding.

import assert from 'node:assert/strict'
import { REPORT_PATH, LOOK_PATH, MOVED_PATH, PREPARE_PATH } from '../../service/peers/wire.ts'
import { CALENDAR_EXAMPLE } from '../calendars/operations.ts'
import { EXAMPLES } from '../contracts/v1/examples.ts'
import type { Verb } from '../contracts/v1/examples.ts'
import { CALLBACK_TEST_EXAMPLE } from '../observing/examples.ts'

/** What a caller needs for a route. */
export type Needs =
  /** Nothing: no key. */
  | 'nothing'
  /** Any key. */
  | 'a key'
  /** A key that may read the namespace. */
  | 'read'
  /** A key that may change timers in the namespace. */
  | 'change'
  /** A key that may change timers; which namespaces is answered for each item. */
  | 'change each'
  /** A key that may read all namespaces. */
  | 'read all'
  /** What the nodes of a cluster know and no key replaces. */
  | 'the cluster secret'

export type RouteRule = {
  readonly needs: Needs
  /** For routes with parameters: the URL that is asked. */
  readonly path?: string
  readonly body?: unknown
  /** What someone who may is answered: any status other than 401 and 403 shows that the route is reached. */
  readonly ok: number
  /** Asserts that a refusal has the contract's own shape; the native one unless it says otherwise. */
  readonly refusal?: (json: AnswerJson, code: 'UNAUTHORIZED' | 'FORBIDDEN') => void
}

type AnswerJson = Readonly<Record<string, unknown>>

/** The timer that every request is about; it exists, in the namespace that contracts mean when none is named. */
export const TIMER = { namespace: 'default', timerId: 'reminder-42' }
/** Another one, for contracts that know timers by UUIDs only. */
export const UUID = '0193a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'

export function assertNativeRefusal(json: AnswerJson, code: string): void {
  assert.deepEqual(Object.keys(json), ['error', 'message', 'details', 'timestamp'])
  assert.equal(json['error'], code)
}

function assertPlatformRefusal(json: AnswerJson): void {
  assert.deepEqual(Object.keys(json), ['code', 'message', 'data'])
  assert.deepEqual([json['code'], json['data']], [4, null])
}

type Unusual = { readonly ok?: number; readonly body?: unknown }

function v1(verb: Verb, needs: Needs, { ok = 200, body = EXAMPLES[verb].request }: Unusual = {}): [string, RouteRule] {
  return [`POST /api/v1/timers/${verb}`, { needs, ok, body }]
}

const GROUPS_PATH = { path: `/api/v1/timers/${TIMER.namespace}/${TIMER.timerId}` }
const GROUPS_CREATE = { id: 'new', executeAt: '2030-01-31T09:00:00Z', callbackUrl: 'https://example.com/hooks/timer' }

function assertCyclesRefusal(json: AnswerJson, code: string): void {
  assert.deepEqual(Object.keys(json), ['success', 'error', 'request_id'])
  assert.equal((json['error'] as AnswerJson)['code'], code)
}

const CYCLES = { refusal: assertCyclesRefusal }
const CYCLES_PATH = { ...CYCLES, path: `/api/v1/timers/${TIMER.timerId}` }
const CYCLES_SCOPE = `?tenant_id=${TIMER.namespace}`

const PLATFORM = { refusal: assertPlatformRefusal }
const PLATFORM_PATH = { ...PLATFORM, path: `/timers/${UUID}` }
const PLATFORM_CREATE = {
  execute_at: '2030-01-31T09:00:00Z',
  callback: { type: 'http', url: 'https://example.com/hooks/timer' },
}

const CALENDAR_PATH = { path: '/api/v1/calendars/business-hours' }

/** A delivery is over of a timer that is not there. */
const NEWS_OF_NOBODY = {
  shard: 0,
  delivery: { namespace: 'default', id: 'nobody', uuid: '0'.repeat(32), deliveryId: 'd', attempt: 1, node: 'a' },
  ended: null,
}

export const ROUTES: ReadonlyMap<string, RouteRule> = new Map<string, RouteRule>([
  ['GET /', { needs: 'nothing', ok: 200 }],
  ['GET /ui', { needs: 'nothing', ok: 302 }],
  ['GET /ui/*', { needs: 'nothing', ok: 302, path: '/ui/timers/default/reminder-42' }],
  ['GET /docs', { needs: 'nothing', ok: 200 }],
  ['GET /openapi.json', { needs: 'nothing', ok: 200 }],
  ['GET /healthz', { needs: 'nothing', ok: 200 }],
  ['GET /livez', { needs: 'nothing', ok: 200 }],
  ['GET /readyz', { needs: 'nothing', ok: 200 }],
  ['GET /metrics', { needs: 'read all', ok: 200 }],
  ['GET /api/v1/cluster', { needs: 'read all', ok: 200 }],
  // Without a namespace these show what the key may see.
  ['GET /api/v1/overview', { needs: 'read', ok: 200, path: '/api/v1/overview?namespace=default' }],
  ['GET /api/v1/forecast', { needs: 'read', ok: 200, path: '/api/v1/forecast?namespace=default' }],
  ['GET /api/v1/live', { needs: 'read', ok: 200, path: '/api/v1/live?namespace=default&forSeconds=0' }],
  ['POST /api/v1/callbacks/test', { needs: 'change', ok: 200, body: CALLBACK_TEST_EXAMPLE.request }],

  [`POST ${LOOK_PATH}`, { needs: 'the cluster secret', ok: 204, body: {} }],
  [`POST ${PREPARE_PATH}`, { needs: 'the cluster secret', ok: 204, body: { node: 'test', shards: [] } }],
  [`POST ${MOVED_PATH}`, { needs: 'the cluster secret', ok: 204, body: { moved: [] } }],
  [`POST ${REPORT_PATH}`, { needs: 'the cluster secret', ok: 200, body: NEWS_OF_NOBODY }],

  ['GET /api/v1/calendars', { needs: 'read', ok: 200 }],
  ['GET /api/v1/calendars/:name', { ...CALENDAR_PATH, needs: 'read', ok: 200 }],
  ['PUT /api/v1/calendars/:name', { ...CALENDAR_PATH, needs: 'change', ok: 200, body: CALENDAR_EXAMPLE.request }],
  ['DELETE /api/v1/calendars/:name', { ...CALENDAR_PATH, needs: 'change', ok: 204 }],

  v1('preview', 'a key'),
  v1('get', 'read'),
  v1('list', 'read'),
  v1('create', 'change'),
  v1('update', 'change', { body: { ...TIMER, payload: 'changed' } }),
  v1('delete', 'change', { ok: 204 }),
  v1('trigger', 'change'),
  v1('pause', 'change'),
  v1('resume', 'change'),
  v1('retry', 'change', { ok: 409 }),
  v1('cancel', 'change', { body: { namespace: TIMER.namespace, all: true } }),
  v1('batch', 'change each', {
    body: { timers: [EXAMPLES.create.request, { ...EXAMPLES.create.request, namespace: 'elsewhere' }] },
  }),

  ['POST /api/v1/timers', { needs: 'change', ok: 200, body: GROUPS_CREATE }],
  ['GET /api/v1/timers/:groupId/:timerId', { ...GROUPS_PATH, needs: 'read', ok: 200 }],
  ['PUT /api/v1/timers/:groupId/:timerId', { ...GROUPS_PATH, needs: 'change', ok: 200, body: { payload: 'changed' } }],
  ['DELETE /api/v1/timers/:groupId/:timerId', { ...GROUPS_PATH, needs: 'change', ok: 204 }],

  // Its create shares the route above; without a tenant, list and stats show what the key may see.
  ['GET /api/v1/timers', { ...CYCLES, path: `/api/v1/timers${CYCLES_SCOPE}`, needs: 'read', ok: 200 }],
  ['GET /api/v1/timers/stats', { ...CYCLES, path: `/api/v1/timers/stats${CYCLES_SCOPE}`, needs: 'read', ok: 200 }],
  ['GET /api/v1/timers/:timer_id', { ...CYCLES_PATH, needs: 'read', ok: 200 }],
  ['DELETE /api/v1/timers/:timer_id', { ...CYCLES_PATH, needs: 'change', ok: 200 }],

  ['POST /timers', { ...PLATFORM, needs: 'change', ok: 201, body: PLATFORM_CREATE }],
  ['POST /timers/batch', { ...PLATFORM, needs: 'change', ok: 200, body: { timers: [PLATFORM_CREATE] } }],
  ['GET /timers', { ...PLATFORM, needs: 'read', ok: 200 }],
  ['GET /timers/:id', { ...PLATFORM_PATH, needs: 'read', ok: 200 }],
  ['PUT /timers/:id', { ...PLATFORM_PATH, needs: 'change', ok: 200, body: { metadata: { a: 1 } } }],
  ['DELETE /timers/:id', { ...PLATFORM_PATH, needs: 'change', ok: 200 }],
])
