// Who may use which route: every route of every contract, with what it takes to use it. A route that is not here fails
// the test, so nobody adds one without deciding.

import { EXAMPLES } from './contracts/v1/examples.ts'

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

export type RouteRule = {
  readonly needs: Needs
  /** For routes with parameters: the URL that is asked. */
  readonly path?: string
  readonly body?: unknown
  /** What someone who may is answered: any status other than 401 and 403 shows that the door is open. */
  readonly ok: number
  /** The contract's own shape of a refusal; the native one unless it says otherwise. */
  readonly errorCode?: (json: Readonly<Record<string, unknown>>) => unknown
}

/** The timer that every request is about; it exists, in the namespace that contracts mean when none is named. */
export const TIMER = { namespace: 'default', timerId: 'reminder-42' }

const v1 = (verb: keyof typeof EXAMPLES, needs: Needs, { ok = 200, body = EXAMPLES[verb].request as unknown } = {}): [string, RouteRule] => [
  `POST /api/v1/timers/${verb}`,
  { needs, ok, body },
]

export const ROUTES: ReadonlyMap<string, RouteRule> = new Map<string, RouteRule>([
  ['GET /', { needs: 'nothing', ok: 302 }],
  ['GET /docs', { needs: 'nothing', ok: 200 }],
  ['GET /openapi.json', { needs: 'nothing', ok: 200 }],
  ['GET /healthz', { needs: 'nothing', ok: 200 }],
  ['GET /readyz', { needs: 'nothing', ok: 200 }],
  ['GET /metrics', { needs: 'read all', ok: 200 }],

  v1('preview', 'a key'),
  v1('get', 'read'),
  v1('list', 'read'),
  v1('create', 'change'),
  v1('update', 'change', { body: { ...TIMER, payload: 'changed' } }),
  v1('delete', 'change', { ok: 204 }),
  v1('trigger', 'change'),
  v1('pause', 'change'),
  v1('resume', 'change', { ok: 409 }),
  v1('retry', 'change', { ok: 409 }),
  v1('cancel', 'change', { body: { namespace: TIMER.namespace, all: true } }),
  v1('batch', 'change each', { body: { timers: [EXAMPLES.create.request, { ...EXAMPLES.create.request, namespace: 'elsewhere' }] } }),
])
