// `v1`, the native contract: POST /api/v1/timers/<verb>, bare objects, errors as {error, message, details, timestamp}.

import type { Contract } from '../../contract.ts'
import { renderNativeError } from '../../native/error-envelope.ts'
import { PREFIX, registerRoutes } from './routes.ts'

export const v1Contract: Contract = {
  name: 'v1',
  owns: ({ method, path }) => method === 'POST' && path.startsWith(`${PREFIX}/`),
  register: registerRoutes,
  renderError: renderNativeError,
}
