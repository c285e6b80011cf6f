// A good answer for every route of this folder: shown in the documentation.

const COUNTS = { pending: 1_204, paused: 3, executing: 1, completed: 48_211, failed: 12, canceled: 90 }
const ACTIVITY = { fired: 118, delivered: 115, rescheduled: 1, retried: 2, failed: 0, created: 131, canceled: 4 }
const BUCKETS = [
  { leMs: 1, count: 96 },
  { leMs: 2, count: 19 },
  { leMs: 4, count: 3 },
]
const LATENESS = { count: 118, p50: 1, p90: 2, p99: 4, max: 4, histogram: BUCKETS }
const GAUGES = { inFlight: 1, ready: 0, windowTimers: 1_205, commitQueue: 0, ownedShards: 1, listeners: 1 }
const SECOND = {
  at: '2030-01-31T08:59:59.000Z',
  fired: 2,
  delivered: 2,
  rescheduled: 0,
  retried: 0,
  failed: 0,
  created: 3,
  canceled: 0,
}

const PULSE = {
  now: '2030-01-31T09:00:00.120Z',
  node: 'timers-1:4711:5f3a9c1e',
  namespace: null,
  counts: COUNTS,
  countsAt: '2030-01-31T08:59:58.800Z',
  gauges: GAUGES,
  lastMinute: ACTIVITY,
  lastHour: ACTIVITY,
  lateness: LATENESS,
  latenessLastMinute: LATENESS,
}

export const OVERVIEW_EXAMPLE = {
  ...PULSE,
  version: '1.0.0',
  scope: 'node',
  database: 'sqlite',
  startedAt: '2030-01-30T07:00:00.000Z',
  tracked: true,
  namespaces: [{ namespace: 'default', ...COUNTS }],
  namespacesTotal: 1,
  perSecond: [SECOND],
}

const FIRING = {
  namespace: 'default',
  id: 'reminder-42',
  dueAt: '2030-01-31T09:00:00.000Z',
  firedAt: '2030-01-31T09:00:00.001Z',
  latenessMs: 1,
  outcome: 'delivered',
  statusCode: 200,
  error: null,
  attempt: 1,
  durationMs: 12,
  status: 'completed',
  nextAt: null,
}
const CHANGE = {
  type: 'created',
  namespace: 'default',
  id: 'reminder-43',
  at: '2030-01-31T09:00:00.050Z',
  dueAt: '2030-01-31T09:10:00.050Z',
  status: 'pending',
  version: 1,
}

export const LIVE_EXAMPLE = [
  [
    'overview',
    { ...PULSE, lastSecond: { ...SECOND, lateness: BUCKETS.slice(0, 1) }, skipped: { firings: 0, changes: 0 } },
  ],
  ['firing', FIRING],
  ['change', CHANGE],
  ['end', { reason: 'shutdown' }],
]
  .map(([event, data]) => `event: ${event as string}\ndata: ${JSON.stringify(data)}\n\n`)
  .join('')

export const FORECAST_EXAMPLE = {
  now: '2030-01-31T08:59:30.000Z',
  stepMs: 60_000,
  steps: [
    { at: '2030-01-31T08:59:00.000Z', count: 4, hot: false },
    { at: '2030-01-31T09:00:00.000Z', count: 310, hot: true },
  ],
  overdue: 0,
  total: 314,
  complete: true,
  peak: { at: '2030-01-31T09:00:00.000Z', count: 310 },
}

export const CALLBACK_TEST_EXAMPLE = {
  request: { callbackUrl: 'https://example.com/hooks/timer', payload: { userId: 42 } },
  answer: {
    outcome: 'delivered',
    statusCode: 200,
    durationMs: 38,
    error: null,
    nextExecuteAt: null,
    deliveryId: '8f14e45fceea167a5a36dedd4bea2543-lgw3c0-1',
    firedAt: '2030-01-31T09:00:00.000Z',
    responseBody: '{"ok":true}',
    responseTruncated: false,
  },
}
