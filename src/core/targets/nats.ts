// A target that a message is published on.

import type { Headers, TargetType } from './target-type.ts'

export type NatsTarget = {
  readonly type: 'nats'
  readonly topic: string
  readonly key: string | null
  readonly headers: Headers | null
}

export const natsTarget: TargetType<NatsTarget> = {
  type: 'nats',
  fields: { topic: 'text', key: 'optional', headers: 'headers' },
  placeOf: ({ topic }) => `nats ${topic}`,
  subjectOf,
  unconfigured: 'NATS is not configured (NATS_URL), so a callback of type nats could never be delivered',
}

export function subjectOf({ topic, key }: Pick<NatsTarget, 'topic' | 'key'>): string {
  return key === null ? topic : `${topic}.${key}`
}
