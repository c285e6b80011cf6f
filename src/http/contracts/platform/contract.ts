// `platform`: /timers and /timers/{id} at the root, ids made by the service, one attempt, answers as {code, message, data}.
// It covers the namespace `default`. /healthz is in its envelope, too, and is registered with the operational routes.

import type { Contract } from '../contract.ts'
import { renderPlatformError } from './envelope.ts'
import { PREFIX, registerRoutes } from './routes.ts'

export const platformContract: Contract = {
  name: 'platform',
  owns: ({ path }) => path === PREFIX || path.startsWith(`${PREFIX}/`) || path === '/healthz',
  register: registerRoutes,
  renderError: renderPlatformError,
}
