// Who is in the cluster and who owns what, as this node sees it: for people and tools that ask why a timer is late.

import type { FastifyInstance } from 'fastify'
import { assertAccess, EVERY_NAMESPACE, Permission } from '../../core/access/access.ts'
import type { ClusterView } from '../../engine/engine.ts'
import { sendJson } from '../answer/send-json.ts'

const DESCRIPTION =
  'Nodes with the time since their last beat and the skew of their clocks, shards with owner and epoch, and, for the shards of the ' +
  'node that answers, how many timers it holds in memory, how many deliveries are in flight, and how late the latest one is.'

export function registerClusterRoute(app: FastifyInstance, cluster: () => ClusterView): void {
  const schema = { tags: ['operation'], summary: 'Nodes, shards and their owners', description: DESCRIPTION }
  app.get('/api/v1/cluster', { schema }, (request, reply) => {
    assertAccess(request.principal, Permission.read, EVERY_NAMESPACE)
    return sendJson(reply, JSON.stringify(cluster()))
  })
}
