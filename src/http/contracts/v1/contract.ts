// `v1`, the native contract: POST /api/v1/timers/<verb>, bare objects, errors as {error, message, details, timestamp}.

import type { Contract } from '../contract.ts'
import { renderNativeError } from '../../errors/native-envelope.ts'
import { PREFIX, registerRoutes } from './routes.ts'

const ONE_SEGMENT = new RegExp(`^${PREFIX}/[^/]*$`)

export const v1Contract: Contract = {
  name: 'v1',
  owns: ({ method, path }) => method === 'POST' && ONE_SEGMENT.test(path),
  register: registerRoutes,
  renderError: renderNativeError,
}
