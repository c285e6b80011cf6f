// NATS with JetStream. As installed it syncs its files every two minutes; here each message is on the disk before it is
// acknowledged (`sync_interval: always`).

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answersTo } from '../../../scripts/servers/answers.ts'
import { missingTools, toolPath } from '../../../scripts/tools/tools.ts'
import { ownServerPlace } from './own-server.ts'
import type { Place } from './place.ts'

/** Null where it is not installed. */
export function natsPlace(): Place | null {
  if (missingTools('nats-server') !== null) return null
  return ownServerPlace({
    command: toolPath('nats-server'),
    scheme: 'nats',
    args: ({ port, directory }) => {
      const store = join(directory, 'store')
      mkdirSync(store)
      const file = join(directory, 'nats.conf')
      writeFileSync(file, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${store}", sync_interval: always }\n`)
      return ['-c', file]
    },
    answers: (port) => answersTo(port, null, (answer) => answer.toString().startsWith('INFO ')),
  })
}
