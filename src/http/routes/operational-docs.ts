// What each operational route is called and answers, as the OpenAPI document tells it.

import { Type } from '../../runtime/schema-type.ts'
import type { TSchema } from 'typebox'
import { failures } from '../docs/native-failures.ts'

type OperationDocs = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly response: Readonly<Record<string, unknown>>
}

const tags = ['operation']

const Instant = Type.String({ format: 'date-time' })
const words = (...values: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: values })

const Health = Type.Object({
  code: Type.Integer(),
  message: Type.String(),
  data: Type.Object({
    status: words('up', 'degraded'),
    database: words('connected', 'disconnected'),
    timestamp: Instant,
    version: Type.String(),
  }),
})
const HEALTHY = {
  code: 0,
  message: 'healthy',
  data: { status: 'up', database: 'connected', timestamp: '2030-01-31T09:00:00.000Z', version: '0.1.0' },
}

const Parts = Type.Unsafe({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'By part: ok, or what is wrong with it. Reasons are shown to keys that may read every namespace.',
})
const Ready = Type.Object({ status: words('ready', 'degraded', 'not ready'), parts: Parts })

const MaybeText = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const Cluster = Type.Object({
  node: Type.String({ description: 'The node that answers.' }),
  isCertain: Type.Boolean({
    description:
      'false while this node cannot be sure that its shards are still its own: it starts no deliveries then.',
  }),
  nodes: Type.Array(
    Type.Object({
      node: Type.String(),
      address: MaybeText,
      leaving: Type.Boolean(),
      labels: Type.Array(Type.String()),
      silentMs: Type.Number(),
      clockSkewMs: Type.Number(),
    }),
  ),
  shards: Type.Array(
    Type.Object({
      shard: Type.Integer(),
      epoch: Type.Integer(),
      owner: MaybeText,
      own: Type.Unsafe({
        ...Type.Object({ windowTimers: Type.Integer(), inFlight: Type.Integer(), lagMs: Type.Number() }),
        type: ['object', 'null'],
        description: 'null for a shard of another node.',
      }),
    }),
  ),
  resharding: Type.Boolean({ description: 'Timers are being moved between shards; see reshard.' }),
  reshard: Type.Unsafe({
    ...Type.Object({
      online: Type.Boolean({
        description: 'Nodes split their shards and timers go on firing. Else nobody owns a shard until it is finished.',
      }),
      done: Type.Integer({ description: 'Shards that have been split.' }),
      total: Type.Integer({ description: 'Shards that are to be split.' }),
      shards: Type.Integer({ description: 'How many there will be in all.' }),
    }),
    type: ['object', 'null'],
    description: 'How far a reshard is; null when none is under way.',
  }),
  groups: Type.Array(
    Type.Object({
      namespace: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'null for all namespaces that have no shards of their own.',
      }),
      first: Type.Integer(),
      count: Type.Integer(),
      label: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'Nodes with this label own the shards; null: all nodes.',
      }),
      whenNoneLives: words('wait', 'others'),
    }),
    { description: 'Ranges of shards, whose timers are in them, and which nodes may own them.' },
  ),
})
const CLUSTER_EXAMPLE = {
  node: 'duetime-0:1:da97b646',
  isCertain: true,
  nodes: [
    {
      node: 'duetime-0:1:da97b646',
      address: 'http://duetime-0.duetime:8080',
      leaving: false,
      labels: ['eu'],
      silentMs: 0,
      clockSkewMs: 0,
    },
  ],
  shards: [{ shard: 0, epoch: 1, owner: 'duetime-0:1:da97b646', own: { windowTimers: 120, inFlight: 1, lagMs: 0 } }],
  resharding: false,
  reshard: null,
  groups: [{ namespace: null, first: 0, count: 64, label: null, whenNoneLives: 'others' }],
}

export const ALIVE: OperationDocs = {
  operationId: 'alive',
  tags,
  summary: 'Does the process answer?',
  description:
    'Asks nothing else, least of all the database: what is restarted because of it must be helped by a restart.',
  response: { 200: json('It does.', Type.Object({ status: Type.Literal('alive') }), { status: 'alive' }) },
}

export const HEALTH: OperationDocs = {
  operationId: 'health',
  tags,
  summary: 'Is it up, and its database?',
  description: '500 when the database does not answer in 5 seconds.',
  response: {
    200: json('Both are.', Health, HEALTHY),
    500: json('The database does not answer.', Health, {
      code: 1,
      message: 'database connection failed',
      data: { ...HEALTHY.data, status: 'degraded', database: 'disconnected' },
    }),
  },
}

export const READY: OperationDocs = {
  operationId: 'ready',
  tags,
  summary: 'Can it take requests?',
  description:
    '503 while a part cannot do its work, or does not say that it can within 2 seconds; the answer names it.',
  response: {
    200: json('It can; degraded names a part that requests do not need.', Ready, {
      status: 'ready',
      parts: { store: 'ok' },
    }),
    503: json('A part cannot do its work.', Ready, { status: 'not ready', parts: { store: 'failed' } }),
  },
}

export const METRICS: OperationDocs = {
  operationId: 'metrics',
  tags,
  summary: 'Metrics in the Prometheus text format',
  response: {
    200: {
      description: 'All metrics of this node.',
      content: { 'text/plain': { schema: Type.String(), example: 'duetime_owned_shards 64\n' } },
    },
    ...failures(401, 403, 429),
  },
}

export const DOCUMENT: OperationDocs = {
  operationId: 'openapi',
  tags,
  summary: 'This document',
  response: {
    200: json('OpenAPI 3.1.', Type.Unsafe({ type: 'object', additionalProperties: true }), { openapi: '3.1.0' }),
  },
}

export const CLUSTER: OperationDocs = {
  operationId: 'cluster',
  tags,
  summary: 'Nodes, shards and their owners',
  description:
    'Nodes with their labels, the time since their last beat and the skew of their clocks, shards with owner and epoch, and, for the shards of the ' +
    'node that answers, how many timers it holds in memory, how many deliveries are in flight, and how late the latest one is.',
  response: {
    200: json('As this node sees it.', Cluster, CLUSTER_EXAMPLE),
    ...failures(401, 403, 429),
  },
}

function json(description: string, schema: TSchema, example: unknown): object {
  return { description, content: { 'application/json': { schema, example } } }
}
