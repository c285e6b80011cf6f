// The broker: whether it answers, has JetStream, and which streams cover the subjects. Nothing is made.

import type { NatsConnection } from '@nats-io/transport-node'
import type { Config } from '../../runtime/config/config.ts'
import { Findings, messageOf } from './finding.ts'
import type { Finding } from './finding.ts'

const CONNECT_MS = 3_000

export async function checkNats(config: Config): Promise<readonly Finding[]> {
  const findings = new Findings('nats')
  const { broker } = config
  if (broker === null) findings.skip('not configured (NATS_URL); callbacks over NATS are refused')
  else await checkBroker(config, broker, findings)
  return findings.all
}

async function checkBroker(config: Config, broker: NonNullable<Config['broker']>, findings: Findings): Promise<void> {
  const { dial, reasonOf } = await import('../../broker/nats/dial.ts')
  const where = broker.servers.join(', ')
  let connection: NatsConnection
  try {
    connection = await dial(broker, { timeoutMs: CONNECT_MS })
  } catch (error) {
    return findings.fail(
      `${where}: ${reasonOf(error)}`,
      'Is the NATS server running, and are NATS_URL and its credentials right?',
    )
  }
  try {
    findings.ok(`${connection.getServer()} is nats-server ${connection.info?.version ?? 'of unknown version'}`)
    if (config.natsMessages) await checkStreams(config, connection, findings)
  } finally {
    await connection.close()
  }
}

async function checkStreams(config: Config, connection: NatsConnection, findings: Findings): Promise<void> {
  const { jetstreamManager } = await import('@nats-io/jetstream')
  const { streamCovering } = await import('../../broker/nats/streams.ts')
  try {
    const manager = await jetstreamManager(connection, { timeout: CONNECT_MS })
    const { storage, limits } = await manager.getAccountInfo()
    findings.ok(
      `JetStream is on; ${storage} bytes are stored${limits.max_storage > 0 ? ` of ${limits.max_storage}` : ''}`,
    )
    for (const subject of [config.natsCommandsSubject, config.natsEventsSubject, config.natsDeadLettersSubject]) {
      const stream = await streamCovering(manager, subject)
      findings.ok(
        stream === null
          ? `no stream covers ${subject} yet; the service makes one`
          : `${subject} is covered by the stream ${stream}`,
      )
    }
  } catch (error) {
    findings.fail(
      `JetStream does not answer: ${messageOf(error)}`,
      'Start the server with -js, or set NATS_MESSAGES=false if only callbacks go over NATS.',
    )
  }
}
