// The first lines someone sees: where the service is, who can reach it, where the timers are, and what to try first.

import type { Config } from '../runtime/config/config.ts'
import { databasePlace } from '../runtime/config/databases/databases.ts'
import { VERSION } from '../runtime/version.ts'

export function banner(config: Pick<Config, 'loopbackOnly' | 'keysNeeded' | 'database'>, url: string): string {
  return `
  Duetime ${VERSION} listens on ${url}
  ${reach(config)}
  Timers are ${databasePlace(config.database)}

  A first timer, due in five seconds:

    curl ${url}/api/v1/timers/create -H 'Content-Type: application/json' \\${config.keysNeeded ? KEY_HEADER : ''}
      -d '{"id":"hello","schedule":"PT5S","callbackUrl":"http://127.0.0.1:9000/hello","payload":{"to":"you"}}'

`
}

/** What the shell puts in is the key that whoever reads this has; the banner never shows one. */
const KEY_HEADER = `\n      -H "X-API-Key: $API_KEY" \\`

function reach({ loopbackOnly, keysNeeded }: Pick<Config, 'loopbackOnly' | 'keysNeeded'>): string {
  if (keysNeeded) return 'Whoever comes needs an API key; `duetime keys create` makes more of them.'
  return loopbackOnly
    ? 'Only this machine can reach it, because no API key is configured.'
    : 'Anyone who can reach this address may use it: ALLOW_ANONYMOUS is set and no API key is configured.'
}
