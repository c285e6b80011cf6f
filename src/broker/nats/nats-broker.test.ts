import { connect, headers as emptyHeaders } from '@nats-io/transport-node'
import type { TestContext } from 'node:test'
import { systemClock } from '../../runtime/clock.ts'
import { brokerUrl } from '../../runtime/config-broker.ts'
import type { BrokerSettings } from '../../runtime/config-broker.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { needsNats, startNatsServer } from '../../../test/support/nats-server.ts'
import type { NatsServer } from '../../../test/support/nats-server.ts'
import type { Message, Reply } from '../broker.ts'
import { brokerConformance } from '../conformance.ts'
import { NatsBroker } from './nats-broker.ts'
import { headersOf } from './pull-consumer.ts'

function settingsFor(url: string, changes: Partial<BrokerSettings> = {}): BrokerSettings {
  const { isTls, ...location } = brokerUrl().parse(url)
  return { ...location, credentialsFile: null, tls: isTls ? { caFile: null, certFile: null, keyFile: null } : null, ...changes }
}

async function aBroker(t: TestContext, settings: BrokerSettings): Promise<NatsBroker> {
  const broker = new NatsBroker({ settings, clock: systemClock, logger: silentLogger() })
  t.after(() => broker.stop())
  await broker.start()
  return broker
}

async function askedOf(server: NatsServer, { subject, headers, data }: Message): Promise<Reply> {
  const client = await connect({ servers: server.url, reconnect: false })
  try {
    const list = emptyHeaders()
    for (const [name, value] of headers) list.append(name, value)
    const answer = await client.request(subject, data, { headers: list, timeout: 5_000 })
    return { headers: headersOf(answer), data: answer.data }
  } finally {
    await client.close()
  }
}

brokerConformance('nats', needsNats, async (t) => {
  const server = await startNatsServer(t)
  const broker = await aBroker(t, settingsFor(server.url))
  return {
    broker,
    request: (message) => askedOf(server, message),
    disconnect: () => server.kill(),
    connect: () => server.start(),
  }
})
