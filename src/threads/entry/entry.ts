// What a thread of HTTP runs: the same application on the same port as in every other one, with the service that asks the
// main thread.

import type { FastifyListenOptions } from 'fastify'
import { buildEntryApp } from '../../http/app.ts'
import { CONTRACTS } from '../../http/contracts/all-contracts.ts'
import { closeWithin } from '../../http/routes/closing.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { createLogger, partLogger } from '../../runtime/telemetry/logger.ts'
import { KeyRing } from '../../service/keys/key-ring.ts'
import { BatchedPort } from '../channel/batched-port.ts'
import type { Port } from '../channel/batched-port.ts'
import { answerCalls, Caller } from '../channel/calls.ts'
import { Tunnels } from '../channel/tunnel.ts'
import type { ReadyMessage } from '../kept-thread.ts'
import { limitConnections } from './connection-limit.ts'
import { forwardUpgrades, registerForwarding } from './forwarding.ts'
import type { DecidingCalls, EntryCalls, EntryData, FromEntry, ToEntry } from './messages.ts'
import { keyOf } from './plain-keys.ts'
import type { PlainKey } from './plain-keys.ts'
import { remoteService } from './remote-service.ts'

export async function openEntry(data: EntryData, at: Port, clock: Clock, contracts = CONTRACTS): Promise<void> {
  const { config, isInCluster, place, connections } = data
  const port = new BatchedPort<FromEntry | ReadyMessage, ToEntry>(at, (message) => {
    if ('tunnel' in message) tunnels.take(message)
    else if ('answered' in message) deciding.take(message)
    else answer(message)
  })
  const deciding = new Caller<DecidingCalls>((call) => port.send(call))
  const tunnels = new Tunnels((message, transfer) => port.send(message, transfer))
  const ring = data.keys === null ? null : new KeyRing()
  const replaceKeys = async (keys: readonly PlainKey[]) => ring!.replace(keys.map(keyOf))
  if (data.keys !== null) await replaceKeys(data.keys)

  const logger = createLogger({
    logLevel: config.logLevel,
    logFormat: 'json',
    destination: { write: (line) => port.send({ log: line }) },
  })
  const app = await buildEntryApp({
    service: await remoteService({ config, clock, isInCluster, deciding }),
    contracts,
    keys: ring,
    config,
    clock,
    logger: partLogger(logger, 'http'),
    limits: {
      take: ({ name, rateLimit }) => (rateLimit === null ? null : deciding.call('takeRequest', { name, rateLimit })),
    },
    elsewhere: (opened) => registerForwarding(opened, tunnels),
    takesPeers: isInCluster,
  })
  app.server.maxConnections = Infinity // all threads together have a limit
  limitConnections(app.server, { max: config.connectionsMax, place, connections })
  if (isInCluster) forwardUpgrades(app.server, tunnels)

  const answer = answerCalls<EntryCalls>(
    {
      listen: (where) => app.listen(sharing(where)),
      close: ({ graceMs }) => closeWithin(app, { clock, graceMs }),
      replaceKeys,
    },
    (answered) => port.send(answered),
  )
  port.send({ type: 'ready' })
}

/** Fastify passes the options on to Node, which has one more than Fastify knows. */
function sharing(at: { readonly host: string; readonly port: number }): FastifyListenOptions {
  return { ...at, reusePort: true } as FastifyListenOptions
}
