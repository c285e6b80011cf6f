// The version of this build, for `--version`, /healthz and the User-Agent of deliveries.

import { createRequire } from 'node:module'

export const { version: VERSION } = createRequire(import.meta.url)('../../package.json') as { readonly version: string }
