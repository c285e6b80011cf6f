// Redis with `appendfsync always`.

import { programPath } from '../../../scripts/servers/install/command.ts'
import { answersTo } from '../../../scripts/servers/answers.ts'
import { ownServerPlace } from './own-server.ts'
import type { Place } from './place.ts'

/** Null where it is not installed. */
export function redisPlace(): Place | null {
  const command = programPath('redis-server')
  if (command === null) return null
  return ownServerPlace({
    command,
    scheme: 'redis',
    args: ({ port, directory, settings }) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--maxmemory-policy', 'noeviction'],
      ...['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''],
      // It looks for what is due so often in a second.
      ...(settings === 'tuned' ? ['--hz', '500'] : []),
    ],
    answers: (port) => answersTo(port, Buffer.from('PING\r\n'), (answer) => answer.toString() === '+PONG\r\n'),
  })
}
