// What the service does with a NATS server.

import {
  brokerName,
  brokerUrl,
  filePath,
  lifecycleEventTypes,
  plainText,
  subjectName,
  subjectPattern,
  subjectTemplate,
} from '../broker.ts'
import { hostName } from '../places.ts'
import { boolean, choice, duration, integer, list } from '../values.ts'
import { group, optional, setting } from './setting.ts'

export const NATS_SETTINGS = {
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
}
