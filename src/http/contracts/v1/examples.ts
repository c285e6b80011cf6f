// A good request and its answer for every operation: shown in the documentation, and sent for real by the tests.

const TIMER = {
  id: 'reminder-42',
  namespace: 'default',
  groupId: 'default',
  status: 'pending',
  executeAt: '2030-01-31T09:00:00.000Z',
  callbackUrl: 'https://example.com/hooks/timer',
  callback: { type: 'http', url: 'https://example.com/hooks/timer' },
  payload: { userId: 42, action: 'remind' },
  metadata: { team: 'billing' },
  retryPolicy: {
    maxRetries: 3,
    initialInterval: '30s',
    backoffMultiplier: 2,
    maxInterval: '10m',
    maxRetryAttemptsDuration: '24h',
  },
  callbackTimeout: '30s',
  callbackTimeoutSeconds: 30,
  createdAt: '2029-12-01T12:00:00.000Z',
  updatedAt: '2029-12-01T12:00:00.000Z',
  attemptCount: 0,
  attempts: [],
  version: 1,
  deliveryId: '8f14e45fceea167a5a36dedd4bea2543-lgw3c0-1',
}

const NAME = { namespace: 'default', timerId: 'reminder-42' }

export const EXAMPLES = {
  create: {
    request: {
      id: 'reminder-42',
      executeAt: '2030-01-31T09:00:00Z',
      callbackUrl: 'https://example.com/hooks/timer',
      payload: { userId: 42, action: 'remind' },
      metadata: { team: 'billing' },
      retryPolicy: { maxRetries: 3, maxRetryAttemptsDuration: '24h' },
    },
    answer: TIMER,
  },
  get: { request: NAME, answer: TIMER },
  update: {
    request: { ...NAME, executeAt: '2030-02-28T09:00:00Z', ifVersion: 1 },
    answer: { ...TIMER, executeAt: '2030-02-28T09:00:00.000Z', version: 2 },
  },
  delete: { request: NAME, answer: null },
  list: {
    request: { status: ['pending', 'paused'], metadataKey: 'team', metadataValue: 'billing', limit: 50 },
    answer: { timers: [TIMER], nextCursor: 'MC4xODk2MDgwNDAwMDAwLjhmMTRlNDVmY2VlYTE2N2E1YTM2ZGVkZDRiZWEyNTQz' },
  },
  batch: {
    request: {
      onConflict: 'reject',
      timers: [
        { id: 'reminder-43', schedule: 'PT10M', callbackUrl: 'https://example.com/hooks/timer' },
        { id: 'reminder-44', schedule: 'R3/PT1H', callbackUrl: 'https://example.com/hooks/timer' },
      ],
    },
    answer: {
      results: [
        { status: 200, timer: { ...TIMER, id: 'reminder-43', schedule: 'PT10M' } },
        {
          status: 409,
          error: 'TIMER_ALREADY_EXISTS',
          message: "timer 'reminder-44' exists already in namespace 'default'",
          details: {},
        },
      ],
      created: 1,
      failed: 1,
    },
  },
  cancel: {
    request: { metadataKey: 'team', metadataValue: 'billing', dryRun: true },
    answer: { matched: 12, canceled: 0, tooLate: 0, more: false },
  },
  trigger: { request: NAME, answer: { ...TIMER, version: 2 } },
  pause: { request: NAME, answer: { ...TIMER, status: 'paused', version: 2 } },
  resume: { request: NAME, answer: { ...TIMER, version: 3 } },
  retry: { request: NAME, answer: { ...TIMER, version: 6 } },
  preview: {
    request: { schedule: 'R3/2030-03-30T09:00:00+01:00/P1D', timeZone: 'Europe/Berlin', count: 3 },
    answer: {
      now: '2029-12-01T12:00:00.000Z',
      firings: ['2030-03-30T08:00:00.000Z', '2030-03-31T07:00:00.000Z', '2030-04-01T07:00:00.000Z'],
      timeZone: 'Europe/Berlin',
      localFirings: [
        '2030-03-30T09:00:00.000+01:00[Europe/Berlin]',
        '2030-03-31T09:00:00.000+02:00[Europe/Berlin]',
        '2030-04-01T09:00:00.000+02:00[Europe/Berlin]',
      ],
      description: 'every day, 3 times, in Europe/Berlin',
      unusual: [],
    },
  },
} as const

export type Verb = keyof typeof EXAMPLES
