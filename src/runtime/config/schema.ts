// Every setting of the service, once: the environment variable, the flag, --help, the reference page and the
// type of Config all come from this list. A new setting is a new line here and nothing else.

import { PAYLOAD_BYTES_DEFAULT_MAX } from '../../core/limits.ts'
import {
  brokerName,
  brokerUrl,
  filePath,
  lifecycleEventTypes,
  plainText,
  subjectName,
  subjectPattern,
  subjectTemplate,
} from './broker.ts'
import { logLevel } from './log-level.ts'
import { webOrigin } from './origin.ts'
import {
  apiKey,
  databaseUrl,
  egressRule,
  hostName,
  httpUrl,
  namespaceName,
  sqlitePath,
  webhookSecret,
} from './places.ts'
import { boolean, bytes, choice, duration, integer, list, pairs } from './values.ts'
import type { ValueType } from './values.ts'
import { PostgresTlsMode } from './postgres-location.ts'

export type Setting<T> = {
  readonly group: string
  readonly env: string
  /** Another variable, which counts where this one is not set; null when there is none. */
  readonly alias: string | null
  readonly flag: string
  readonly type: ValueType<T>
  /** As one would write it; null when the setting is absent unless given. */
  readonly default: string | null
  readonly help: string
  /** It may hold a secret: messages about it do not repeat it. */
  readonly secret: boolean
}

type Description = { readonly help: string; readonly secret?: boolean; readonly alias?: string | null }

const RETENTION = { min: '1s', max: '36500d' }

export const SETTINGS = {
  ...group('Listening', {
    port: setting('PORT', integer({ min: 0, max: 65_535 }), '8080', { help: 'Port for HTTP; 0 takes any free one.' }),
    host: optional('HOST', hostName(), {
      help: 'Address to listen on. Unless it is given: `127.0.0.1` while no API key is configured, else `0.0.0.0`.',
    }),
    bodyMaxBytes: optional('BODY_MAX_BYTES', bytes({ min: '1KiB', max: '256MiB' }), {
      help: 'Largest request body, other than of a batch. Unless it is given: twice PAYLOAD_MAX_BYTES, which is `512KiB` by default.',
    }),
    batchBodyMaxBytes: setting('BATCH_BODY_MAX_BYTES', bytes({ min: '1KiB', max: '256MiB' }), '8MiB', {
      help: 'Largest request body of a batch: 1,000 timers of 8 KiB each fit.',
    }),
    requestTimeoutMs: setting('REQUEST_TIMEOUT', duration({ min: '1s', max: '10m' }), '30s', {
      help: 'How long a client may take to send a request.',
    }),
    listBytesMax: setting('LIST_BYTES_MAX', bytes({ min: '1MiB', max: '64GiB' }), '128MiB', {
      help: 'Memory for lists that are read and not yet taken by clients: 1 MiB each. More are answered with 503 and `Retry-After`.',
    }),
    listBytesPerKeyMax: setting('LIST_BYTES_PER_KEY_MAX', bytes({ min: '1MiB', max: '64GiB' }), '32MiB', {
      help: 'What one API key may use of that.',
    }),
    connectionsMax: setting('CONNECTIONS_MAX', integer({ min: 1, max: 1_000_000 }), '4096', {
      help: 'Connections open at once; more are closed as they come. An idle one takes some 10 KiB.',
    }),
    shutdownGraceMs: setting('SHUTDOWN_GRACE', duration({ min: '0s', max: '10m' }), '10s', {
      help: 'How long a stop waits for requests and deliveries under way. What is cut off then is delivered again after the next start.',
    }),
  }),

  ...group('Access', {
    apiKey: optional('API_KEY', apiKey(), {
      help: 'A key that may do everything, named `default`. Set the variable: a command line can be read by others.',
      secret: true,
    }),
    keysFile: optional('KEYS_FILE', filePath(), {
      help: 'File with the hashes of further keys, their permissions and namespaces, made by `duetime keys create`. Changes count at once.',
    }),
    corsOrigins: setting('CORS_ORIGINS', list(webOrigin()), '', {
      help:
        'Web pages that may call the API from a browser, by their origins, such as `https://app.example.com`. `*` is any page; it needs API keys. ' +
        'None unless it is given.',
    }),
    allowAnonymous: setting('ALLOW_ANONYMOUS', boolean(), 'false', {
      help: 'Serve other machines although no API key is configured: whoever reaches the port can then create and cancel timers.',
    }),
  }),

  ...group('Storage', {
    databaseUrl: setting('DATABASE_URL', databaseUrl(), 'sqlite:./data/duetime.db', {
      help: 'Where timers are stored. The path of a SQLite file is relative to the working directory.',
      secret: true,
    }),
    timerDbPath: optional('TIMER_DB_PATH', sqlitePath(), {
      help: 'Path of the SQLite file; the same as `DATABASE_URL=sqlite:<path>`.',
    }),
    retentionMs: setting('RETENTION', duration(RETENTION), '7d', {
      help: 'How long finished timers can still be read, listed and recognised as duplicates.',
    }),
    retentionByNamespace: setting('RETENTION_BY_NAMESPACE', pairs(namespaceName(), duration(RETENTION)), '', {
      help: 'Retention of single namespaces, such as `audit=30d,clicks=1h`.',
    }),
    commitQueueMax: setting('COMMIT_QUEUE_MAX', integer({ min: 1, max: 1_000_000 }), '20000', {
      help: 'Writes that may wait for the store; more are answered with 503 and `Retry-After`.',
    }),
    commitBatchMax: setting('COMMIT_BATCH_MAX', integer({ min: 1, max: 10_000 }), '1000', {
      help: 'Writes in one commit at most.',
    }),
  }),

  ...group('PostgreSQL', {
    pgHost: optional('PG_HOST', plainText('host'), {
      help: 'Store timers in the PostgreSQL server on this host (or in this directory of Unix sockets); instead of a `postgres://` URL.',
    }),
    pgPort: optional('PG_PORT', integer({ min: 1, max: 65_535 }), {
      help: 'The port that goes with PG_HOST; 5432 unless it is given.',
    }),
    pgUser: optional('PG_USER', plainText('name'), { help: 'User name for PostgreSQL.' }),
    pgPassword: optional('PG_PASSWORD', plainText('password'), {
      help: 'Its password; also for a URL that has none.',
      secret: true,
    }),
    pgDatabase: optional('PG_DB_NAME', plainText('name'), {
      help: 'The database, which must exist; its tables are made by the service.',
    }),
    pgTlsMode: optional('PG_SSL', choice(...Object.values(PostgresTlsMode)), {
      help:
        'Encryption: `require` does not check who answers, `verify-ca` checks the certificate, `verify-full` also the host name. ' +
        'The same as `sslmode` in the URL; `disable` unless it is given.',
    }),
    pgTlsCaFile: optional('PG_SSL_CA', filePath(), {
      help: 'Certificates of the authorities that may vouch for the server. With them `require` is `verify-ca`.',
    }),
    pgTlsCertFile: optional('PG_SSL_CERT', filePath(), { help: 'Certificate that this service shows to the server.' }),
    pgTlsKeyFile: optional('PG_SSL_KEY', filePath(), { help: 'Its key.' }),
    pgPoolSize: setting('PG_POOL_SIZE', integer({ min: 5, max: 100 }), '8', {
      help: 'Connections of this node at most. Commits and heartbeats have one each, the others are for reading.',
    }),
    pgStatementTimeoutMs: setting('PG_STATEMENT_TIMEOUT', duration({ min: '100ms', max: '10m' }), '10s', {
      help: 'How long the server may take for one statement.',
    }),
    shards: optional('SHARDS', integer({ min: 1, max: 4_096 }), {
      help: 'Parts that timers are spread over, and so the most nodes that share them. Fixed when a database is first used; 64 by default.',
    }),
  }),

  ...group('Cluster', {
    leaseMs: setting('LEASE', duration({ min: '1s', max: '5m' }), '5s', {
      help: 'How long a node may be silent before the others take its timers. Only where the database can be shared.',
    }),
    nodeUrl: optional('NODE_URL', httpUrl(), {
      help: 'Where the other nodes reach this one. Unless it is given: the address it listens on, or the first of the machine when that is all of them.',
    }),
  }),

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

  ...group('NATS', {
    natsUrl: optional('NATS_URL', brokerUrl(), {
      help: 'The NATS servers. Without them there is no NATS: callbacks of type nats are refused.',
      secret: true,
    }),
    brokerUrl: optional('TIMER_BROKER_URL', brokerUrl(), { help: 'Another name for NATS_URL.', secret: true }),
    natsHost: optional('NATS_HOST', hostName(), { help: 'Instead of NATS_URL: the host alone.' }),
    natsPort: setting('NATS_PORT', integer({ min: 1, max: 65_535 }), '4222', {
      help: 'The port that goes with NATS_HOST.',
    }),
    natsUser: optional('NATS_USER', plainText('name'), { help: 'User name for NATS.' }),
    natsPassword: optional('NATS_PASSWORD', plainText('password'), { help: 'Its password.', secret: true }),
    natsToken: optional('NATS_TOKEN', plainText('token'), {
      help: 'Token for NATS, instead of a user name.',
      secret: true,
    }),
    natsCredentialsFile: optional('NATS_CREDS', filePath(), {
      help: 'Credentials file for NATS (JWT and seed). Read again for every connection.',
    }),
    natsTls: setting('NATS_TLS', boolean(), 'false', {
      help: 'Speak to NATS encrypted or not at all. On by itself with a `tls://` URL or certificates.',
    }),
    natsTlsCaFile: optional('NATS_TLS_CA', filePath(), {
      help: 'Certificates of the authorities that may vouch for the server.',
    }),
    natsTlsCertFile: optional('NATS_TLS_CERT', filePath(), {
      help: 'Certificate that this service shows to the server.',
    }),
    natsTlsKeyFile: optional('NATS_TLS_KEY', filePath(), { help: 'Its key.' }),
    natsMessages: setting('NATS_MESSAGES', boolean(), 'true', {
      help: 'Take ScheduleTimer and CancelTimer commands from NATS and answer requests there. Needs JetStream.',
    }),
    natsCommandsSubject: setting('NATS_COMMANDS_SUBJECT', subjectName(), 'timer.commands', {
      help: 'Where commands come from.',
    }),
    natsEventsSubject: setting('NATS_EVENTS_SUBJECT', subjectName(), 'timer.events', {
      help: 'Where DueTimeReached goes.',
    }),
    natsDeadLettersSubject: setting('NATS_DLQ_SUBJECT', subjectName(), 'timer.dlq', {
      help: 'Where commands go that cannot be carried out.',
    }),
    natsRequestsSubject: setting('NATS_REQUESTS_SUBJECT', subjectName(), 'duetime.v1.timers', {
      help: 'Requests are answered on `<this>.create`, `<this>.get` and so on.',
    }),
    natsCommandsStream: setting('NATS_COMMANDS_STREAM', brokerName(), 'TIMER_COMMANDS', {
      help: 'Name of the stream for commands, made when no stream covers the subject.',
    }),
    natsEventsStream: setting('NATS_EVENTS_STREAM', brokerName(), 'TIMER_EVENTS', { help: 'The same for events.' }),
    natsDeadLettersStream: setting('NATS_DLQ_STREAM', brokerName(), 'TIMER_DLQ', {
      help: 'The same for dead letters.',
    }),
    natsConsumer: setting('NATS_CONSUMER', brokerName(), 'duetime', {
      help: 'Name of the durable consumer and of the queue that answers requests. Nodes with the same name share the work.',
    }),
    natsAckWaitMs: setting('NATS_ACK_WAIT', duration({ min: '1s', max: '1h' }), '30s', {
      help: 'A command that a node took and did not settle is delivered again after so long.',
    }),
    natsDuplicateWindowMs: setting('NATS_DUPLICATE_WINDOW', duration({ min: '100ms', max: '7d' }), '10m', {
      help: 'How far back the streams made here recognise a message that was published before.',
    }),
    natsNamespacePrefix: optional('NATS_NAMESPACE_PREFIX', subjectName(), {
      help:
        'Bind namespaces to subjects: commands, requests, events and callbacks of namespace X are on `<prefix>.X.<subject>` only (a dot in X is `%2E`), ' +
        'so that the permissions of NATS say who may use which.',
    }),
    natsCallbackAllow: setting('NATS_CALLBACK_ALLOW', list(subjectPattern()), '', {
      help:
        'Subjects that callbacks may publish on, such as `orders.>, *.audit`; any when empty. Never those of the service itself. ' +
        'A key may have a list of its own.',
    }),
    natsLifecycle: setting('NATS_LIFECYCLE', lifecycleEventTypes(), 'off', {
      help: 'Lifecycle events of timers that are published: each at least once, in order per timer, stored with its change until then.',
    }),
    natsLifecycleSubject: setting('NATS_LIFECYCLE_SUBJECT', subjectTemplate(), 'duetime.events.{namespace}.{event}', {
      help: 'Where they go; below `<prefix>.<namespace>` with NATS_NAMESPACE_PREFIX.',
    }),
    natsLifecycleStream: setting('NATS_LIFECYCLE_STREAM', brokerName(), 'DUETIME_EVENTS', {
      help: 'Name of the stream for them, made when no stream covers the subjects.',
    }),
    natsLifecycleConfirm: setting('NATS_LIFECYCLE_CONFIRM', choice('stream', 'server'), 'stream', {
      help:
        'When an event counts as published: `stream` when a stream has stored it, `server` when the server has it, which is for NATS ' +
        'without JetStream and reaches only those who listen at that moment.',
    }),
    natsLifecycleBacklogMax: setting(
      'NATS_LIFECYCLE_BACKLOG_MAX',
      integer({ min: 1_000, max: 1_000_000_000 }),
      '1000000',
      {
        help:
          'Events that may wait in the store while NATS is away, at some 800 bytes each. Beyond that, changes by clients are answered ' +
          'with 503; timers fire all the same. Per node, and checked every few seconds.',
      },
    ),
  }),

  ...group('Logs', {
    logLevel: setting('LOG_LEVEL', logLevel(), 'info', {
      help: 'The least severe messages that are logged. `RUST_LOG` counts where it is not set.',
      alias: 'RUST_LOG',
    }),
    logFormat: setting('LOG_FORMAT', choice('auto', 'json', 'pretty'), 'auto', {
      help: '`auto` is `pretty` in a terminal and `json` elsewhere.',
    }),
  }),
}

/** What the settings read, before the rules that join several of them. */
export type SettingValues = {
  readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never
}

function setting<T>(
  env: string,
  type: ValueType<T>,
  defaultText: string,
  { help, secret = false, alias = null }: Description,
): Setting<T> {
  return { group: '', env, alias, flag: flagOf(env), type, default: defaultText, help, secret }
}

function optional<T>(
  env: string,
  type: ValueType<T>,
  { help, secret = false, alias = null }: Description,
): Setting<T | null> {
  return { group: '', env, alias, flag: flagOf(env), type, default: null, help, secret }
}

function flagOf(env: string): string {
  return env.toLowerCase().replaceAll('_', '-')
}

function group<S extends Readonly<Record<string, Setting<unknown>>>>(name: string, settings: S): S {
  return Object.fromEntries(
    Object.entries(settings).map(([key, one]) => [key, { ...one, group: name }]),
  ) as unknown as S
}
