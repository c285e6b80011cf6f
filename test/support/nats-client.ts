// What a test does on the broker beside the service: sends commands, reads streams, asks.

import type { TestContext } from 'node:test'
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { JetStreamManager } from '@nats-io/jetstream'
import { connect, headers as emptyHeaders } from '@nats-io/transport-node'
import type { NatsConnection } from '@nats-io/transport-node'
import { eventually } from './eventually.ts'
import type { NatsServer } from './nats-server.ts'

export type Stored = {
  readonly subject: string
  readonly id: string
  readonly text: string
  readonly storedAt: number
  readonly headers: ReadonlyMap<string, string>
}

export class NatsClient {
  readonly connection: NatsConnection
  readonly manager: JetStreamManager

  constructor(connection: NatsConnection, manager: JetStreamManager) {
    this.connection = connection
    this.manager = manager
  }

  /** Resolves when the stream has it, however often the broker goes away meanwhile. */
  async publish(subject: string, message: unknown, id?: string): Promise<void> {
    const data = typeof message === 'string' ? message : JSON.stringify(message)
    const once = () =>
      jetstream(this.connection, { timeout: 1_000 }).publish(subject, data, id === undefined ? {} : { msgID: id })
    await eventually(`published on ${subject}`, once, { withinMs: 60_000 })
  }

  async request(
    subject: string,
    body: unknown,
  ): Promise<{ json: Record<string, unknown>; error: string; code: string }> {
    const answer = await this.connection.request(subject, JSON.stringify(body), {
      timeout: 30_000,
      headers: emptyHeaders(),
    })
    const text = answer.string()
    const header = (name: string) => answer.headers?.get(name) ?? ''
    const json = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    return { json, error: header('Nats-Service-Error'), code: header('Nats-Service-Error-Code') }
  }

  async count(stream: string): Promise<number> {
    return (await this.manager.streams.info(stream)).state.messages
  }

  /** Everything that the stream holds, in order. */
  async read(stream: string): Promise<Stored[]> {
    const { state } = await this.manager.streams.info(stream)
    if (state.messages === 0) return []
    const { name } = await this.manager.consumers.add(stream, { ack_policy: AckPolicy.None })
    const consumer = await jetstream(this.connection).consumers.get(stream, name)
    const all: Stored[] = []
    for await (const message of await consumer.fetch({ max_messages: state.messages, expires: 20_000 })) {
      const headers = new Map(Array.from(message.headers ?? [], ([header, values]) => [header, values[0] ?? '']))
      const id = headers.get('Nats-Msg-Id') ?? ''
      all.push({ subject: message.subject, id, text: message.string(), storedAt: message.time.getTime(), headers })
    }
    return all
  }
}

export async function natsClient(t: TestContext, server: NatsServer): Promise<NatsClient> {
  const connection = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 })
  // Not waited for: while the broker is away, closing waits for a reconnection that never comes.
  t.after(() => void connection.close())
  return new NatsClient(connection, await jetstreamManager(connection, { checkAPI: false }))
}
