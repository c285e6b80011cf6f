// Who is in the cluster and who owns what, as this node sees it: for people and tools that ask why a timer is late.

import type { FastifyInstance } from 'fastify'
import { assertAccess, EVERY_NAMESPACE, Permission } from '../../core/access/access.ts'
import type { ClusterView } from '../../engine/engine.ts'
import { sendJson } from '../answer/send-json.ts'
import { CLUSTER } from './operational-docs.ts'

export function registerClusterRoute(app: FastifyInstance, cluster: () => ClusterView): void {
  app.get('/api/v1/cluster', { schema: CLUSTER }, (request, reply) => {
    assertAccess(request.principal, Permission.read, EVERY_NAMESPACE)
    return sendJson(reply, JSON.stringify(cluster()))
  })
}
