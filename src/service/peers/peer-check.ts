// Nodes prove that they belong together by a secret that is in the database they share.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Whether the one who asks knows it. */
export type PeerCheck = (request: Pick<IncomingMessage, 'headers'>) => boolean

export function peerCheck(secret: string): PeerCheck {
  const expected = digest(`Bearer ${secret}`)
  return ({ headers }) => timingSafeEqual(digest(headers.authorization ?? ''), expected)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
