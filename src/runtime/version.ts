// The version of this build, for `--version`, /healthz and the User-Agent of deliveries.

import manifest from '../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version
