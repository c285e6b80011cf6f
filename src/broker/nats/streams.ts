// The streams that have to be there. A stream that covers the subject is taken as it is, whoever made it; only where
// there is none one is made, so that an operator's choices of replicas, limits and storage always win.

import { jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import type { JetStreamManager } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { NatsConnection } from '@nats-io/transport-node'
import type { StreamSpec } from '../broker.ts'

/** The names of the streams, in the order of the specs. */
export async function ensureStreams(connection: NatsConnection, specs: readonly StreamSpec[]): Promise<string[]> {
  const manager = await jetstreamManager(connection, { checkAPI: false })
  const names: string[] = []
  for (const spec of specs)
    names.push((await streamCovering(manager, spec.subject)) ?? (await makeStream(manager, spec)))
  return names
}

export async function streamCovering(manager: JetStreamManager, subject: string): Promise<string | null> {
  const [name] = await manager.streams.names(subject).next()
  return name ?? null
}

async function makeStream(
  manager: JetStreamManager,
  { name, subject, keeps, maxAgeMs, duplicateWindowMs }: StreamSpec,
): Promise<string> {
  const { config } = await manager.streams.add({
    name,
    subjects: [subject],
    storage: StorageType.File,
    retention: keeps === 'queue' ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
    max_age: maxAgeMs === null ? 0 : nanos(maxAgeMs),
    duplicate_window: nanos(duplicateWindowMs),
  })
  return config.name
}
