// What the nodes of a cluster say to each other: commands for timers whose shard the other one owns, "look at the store
// now", and what there is to say when a shard moves (engine/hand-over.ts). They prove that they belong together by a
// secret that is in the database they share.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Command } from '../core/command.ts'
import { DuetimeError, ErrorCode } from '../core/errors.ts'
import type { ClusterMember, Preparation } from '../engine/engine.ts'
import type { Landing } from '../engine/hand-over.ts'
import { COMMANDS_PATH, LANDING_PATH, LOOK_PATH, MOVED_PATH, PREPARE_PATH } from '../service/peer-links.ts'
import type { WireCommands, WireLanded, WireMoved, WireResult, WireResults } from '../service/peer-links.ts'
import type { Logger } from '../runtime/logger.ts'
import { JSON_TYPE } from './error-answers.ts'

const BODY_BYTES_MAX = 256 * 2 ** 20 // what a node sends another was within the limits there; the secret keeps others out

export type InternalParts = {
  readonly secret: string
  /** This node's engine itself: a command that came to the wrong node goes back, it is not sent on. */
  readonly node: ClusterMember
}

export function registerInternalRoutes(app: FastifyInstance, { secret, node }: InternalParts, logger: Logger): void {
  const expected = digest(`Bearer ${secret}`)
  const assertPeer = (request: FastifyRequest) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) {
      throw new DuetimeError(ErrorCode.unauthorized, 'this route is for the other nodes of the cluster')
    }
  }
  // Keys are for clients; the secret is checked instead, before the body is read.
  const options = { config: { open: true }, schema: { hide: true }, onRequest: async (request: FastifyRequest) => assertPeer(request) }

  app.post(COMMANDS_PATH, { ...options, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    const { commands } = request.body as WireCommands
    const results = await Promise.all(commands.map((command) => resultOf(node, command, logger)))
    return reply.header('content-type', JSON_TYPE).send(JSON.stringify({ results } satisfies WireResults))
  })

  app.post(LOOK_PATH, options, async (_request, reply) => {
    // Not awaited: the one who asks has nothing to wait for. What fails is reported by the beat itself.
    void node.lookNow().catch(() => {})
    return reply.code(204).send()
  })

  app.post(PREPARE_PATH, { ...options, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    await node.prepare(request.body as Preparation)
    return reply.code(204).send()
  })

  app.post(MOVED_PATH, { ...options, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    node.accept((request.body as WireMoved).moved)
    return reply.code(204).send()
  })

  app.post(LANDING_PATH, options, async (request, reply) => {
    const landed = await node.land(request.body as Landing)
    return reply.header('content-type', JSON_TYPE).send(JSON.stringify({ landed } satisfies WireLanded))
  })
}

/** Each command has its own answer: a defect that one meets must not hide from the sender what the others did. */
export async function resultOf(executor: Pick<ClusterMember, 'execute'>, command: Command, logger: Logger): Promise<WireResult> {
  try {
    return { type: 'executed', executed: await executor.execute(command) }
  } catch (error) {
    if (error instanceof DuetimeError) return { type: 'refused', code: error.code, message: error.message, details: error.details }
    logger.error({ err: error, type: command.type, namespace: command.namespace, id: command.id }, 'a command from another node failed')
    return { type: 'refused', code: ErrorCode.internal, message: 'internal error at the node that owns the timer', details: {} }
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
