// What the nodes of a cluster say to each other: "look at the store now", what there is to say when a shard moves
// (engine/cluster/handover.ts), and streams of commands for timers whose shard this one owns. They prove that they belong
// together by a secret that is in the database they share.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import type { ClusterMember, Preparation } from '../../engine/engine.ts'
import type { DeliveryReport } from '../../engine/delivery/remote-delivery.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { CommandStreams } from '../../service/peers/command-streams.ts'
import { peerCheck } from '../../service/peers/peer-check.ts'
import { REPORT_PATH, LOOK_PATH, MOVED_PATH, PREPARE_PATH } from '../../service/peers/wire.ts'
import type { WireReportAnswer, WireMoved } from '../../service/peers/wire.ts'
import { sendJson } from '../answer/send-json.ts'

const BODY_BYTES_MAX = 256 * 2 ** 20 // what a node sends another was within the limits there; the secret keeps others out

export type InternalParts = {
  readonly secret: string
  /** This node's engine itself. */
  readonly node: ClusterMember
}

type Surroundings = { readonly clock: Clock; readonly logger: Logger }

export function registerInternalRoutes(
  app: FastifyInstance,
  { secret, node }: InternalParts,
  { clock, logger }: Surroundings,
): void {
  const streams = new CommandStreams({ secret, node: () => node, clock, logger })
  streams.attach(app.server)
  app.addHook('preClose', () => streams.close())

  const isPeer = peerCheck(secret)
  const assertPeer = (request: FastifyRequest) => {
    if (!isPeer(request))
      throw new DuetimeError(ErrorCode.unauthorized, 'this route is for the other nodes of the cluster')
  }
  // Keys are for clients; the secret is checked instead, before the body is read.
  const options = {
    config: { open: true, fromPeer: true },
    bodyLimit: BODY_BYTES_MAX,
    schema: { hide: true },
    onRequest: async (request: FastifyRequest) => assertPeer(request),
  }

  app.post(LOOK_PATH, options, async (_request, reply) => {
    // Not awaited: the one who asks has nothing to wait for. What fails is reported by the beat itself.
    void node.lookNow().catch(() => {})
    return reply.code(204).send()
  })

  app.post(PREPARE_PATH, options, async (request, reply) => {
    await node.prepare(request.body as Preparation)
    return reply.code(204).send()
  })

  app.post(MOVED_PATH, options, async (request, reply) => {
    node.accept((request.body as WireMoved).moved)
    return reply.code(204).send()
  })

  app.post(REPORT_PATH, options, async (request, reply) => {
    const accepted = await node.acceptReport(request.body as DeliveryReport)
    return sendJson(reply, JSON.stringify({ accepted } satisfies WireReportAnswer))
  })
}
