// Random ids that sort by the time at which they were made, which is kind to a database's index. Node has them from 26 on.

import * as crypto from 'node:crypto'

export const randomUuidV7: () => string = 'randomUUIDv7' in crypto ? () => crypto.randomUUIDv7() : madeHere

/** RFC 9562: 48 bits of milliseconds, then the version in the place of the random one's. */
function madeHere(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}
