// The first lines that someone sees who tries the service: what is where, and what to type.

import type { Config } from '../../runtime/config/config.ts'
import { databasePlace, isLasting } from '../../runtime/config/databases/databases.ts'
import { VERSION } from '../../runtime/version.ts'

export type DevPlaces = {
  readonly url: string
  readonly sinkUrl: string
  readonly secret: string
  readonly database: Config['database']
  readonly interactive: boolean
}

export function devBanner({ url, sinkUrl, secret, database, interactive }: DevPlaces): string {
  return `
  Duetime ${VERSION} for development: ${url}  (documentation: ${url}/docs)
  Callbacks to ${sinkUrl} are shown here, on any path; ?status=503&delay=2s chooses the answer.
  ${storage(database)}
  Deliveries are signed with ${secret}

  Try it, in another terminal:

    curl ${url}/api/v1/timers/create -H 'Content-Type: application/json' \\
      -d '{"id":"hello","schedule":"P3D","callbackUrl":"${sinkUrl}/hook","payload":{"to":"you"}}'

  Then move the clock${interactive ? ' with `advance 3d`; `help` lists what else there is.' : ':'}
${
  interactive
    ? ''
    : `
    curl ${url}/dev/clock/advance -H 'Content-Type: application/json' -d '{"by":"3d"}'
`
}
`
}

const MOVED = 'with the times of a clock that was moved'

function storage(database: Config['database']): string {
  return isLasting(database)
    ? `Timers are ${databasePlace(database)}, ${MOVED}: use that for development only.`
    : 'Timers are kept in memory and are gone when it stops; --database ./dev.db keeps them.'
}
