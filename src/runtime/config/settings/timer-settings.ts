// What timers may be, and how they are delivered.

import { PAYLOAD_BYTES_DEFAULT_MAX } from '../../../core/limits.ts'
import { egressRule, httpUrl, namespaceName, webhookSecret } from '../places.ts'
import { autoOr, bytes, duration, integer, list } from '../values.ts'
import { group, optional, setting } from './setting.ts'

export const TIMER_SETTINGS = {
  ...group('Timers', {
    namespaces: setting('NAMESPACES', list(namespaceName()), '', {
      help: 'The namespaces that are served; any when empty.',
    }),
    payloadMaxBytes: setting(
      'PAYLOAD_MAX_BYTES',
      bytes({ min: '0B', max: '16MiB' }),
      `${PAYLOAD_BYTES_DEFAULT_MAX / 1_024}KiB`,
      {
        help: 'Largest payload of one timer, as JSON in UTF-8.',
      },
    ),
    windowTimersMax: setting('WINDOW_TIMERS_MAX', integer({ min: 100, max: 10_000_000 }), '20000', {
      help: 'Timers held in memory ahead of their time. The others wait in the store, however many they are.',
    }),
    windowBytesMax: setting('WINDOW_BYTES_MAX', bytes({ min: '1MiB', max: '64GiB' }), '64MiB', {
      help: 'Memory for those timers, their payloads included.',
    }),
    batchSize: setting('TIMER_BATCH_SIZE', integer({ min: 1, max: 100_000 }), '500', {
      help: 'Timers read from the store at a time.',
    }),
    pollingIntervalMs: setting(
      'TIMER_POLLING_INTERVAL',
      duration({ min: '100ms', max: '1h', bareUnit: 'ms' }),
      '5000',
      {
        help: 'How often the store is read again to find edits made behind the back of the service. Punctuality does not depend on it.',
      },
    ),
  }),

  ...group('Deliveries', {
    deliveriesMax: setting('DELIVERIES_MAX', integer({ min: 1, max: 100_000 }), '1024', {
      help: 'Deliveries under way at once. One API key alone can use four fifths of them.',
    }),
    deliveriesPerNamespaceMax: setting('DELIVERIES_PER_NAMESPACE_MAX', integer({ min: 1, max: 100_000 }), '512', {
      help: 'Deliveries under way for one namespace, so that a flood in one leaves room for the others.',
    }),
    deliveriesPerTargetMax: setting('DELIVERIES_PER_TARGET_MAX', integer({ min: 1, max: 100_000 }), '256', {
      help: 'Deliveries under way to one host and port for one API key, so that a dead receiver does not hold up the others.',
    }),
    deliveryThreads: setting('DELIVERY_THREADS', autoOr(integer({ min: 0, max: 64 })), 'auto', {
      help: 'Threads that make HTTP callbacks, beside the one that decides. 0: that one does it. `auto`: 0 up to two cores, then by the number of cores.',
    }),
    catchUpRate: setting('CATCH_UP_RATE', integer({ min: 0, max: 1_000_000 }), '1000', {
      help: 'How many missed iterations of one namespace begin in a second, on all nodes together; 0 is no limit. Set it above the rate at which the schedules of a namespace fire, or they never catch up.',
    }),
    rescheduleMinMs: setting('RESCHEDULE_MIN', duration({ min: '1ms', max: '1h' }), '1s', {
      help: 'How soon a receiver is called again at the earliest, because it asks for it (`nextExecuteAt`) or because a delivery failed (`retryPolicy`). What would be sooner is moved to this.',
    }),
    callbackAllow: setting('CALLBACK_ALLOW', list(egressRule()), '', {
      help: 'Where callbacks may go besides public addresses. While listening on loopback only, `loopback` and `private` are allowed.',
    }),
    callbackDeny: setting('CALLBACK_DENY', list(egressRule()), '', {
      help: 'Where callbacks may not go. Link-local and metadata addresses are always denied.',
    }),
    callbackBaseUrl: optional('CALLBACK_BASE_URL', httpUrl(), {
      help: 'What a relative `callback_url` is resolved against.',
    }),
    webhookSecrets: setting('WEBHOOK_SECRETS', list(webhookSecret()), '', {
      help: 'Secrets that sign deliveries, newest first. Each signs, so that receivers can change over.',
      secret: true,
    }),
  }),
}
