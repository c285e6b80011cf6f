// The position in a list as clients carry it: opaque, so that it can change. A forged one can only point elsewhere in a
// list that its bearer may read anyway; one that is no position at all is refused.

import { invalidInput } from '../core/errors.ts'
import { NEVER } from '../core/timer/timer.ts'
import type { TimerUuid } from '../core/timer/timer.ts'
import type { ListCursor } from '../store/store.ts'

const POSITION = /^([01])\.(\d{1,16})\.([\da-f]{32})$/

export function cursorText({ finished, wakeAt, uuid }: ListCursor): string {
  return Buffer.from(`${finished ? 1 : 0}.${wakeAt}.${uuid}`).toString('base64url')
}

export function readCursor(text: string): ListCursor {
  const match = POSITION.exec(Buffer.from(text, 'base64url').toString('latin1'))
  const cursor = match && { finished: match[1] === '1', wakeAt: Number(match[2]), uuid: match[3] as TimerUuid }
  // Decoding base64url skips what it does not know, so only the text we would write ourselves is taken.
  if (cursor === null || cursor.wakeAt > NEVER || cursorText(cursor) !== text) {
    throw invalidInput('cursor', 'cursor is not one that list gave out: pass nextCursor on as it is')
  }
  return cursor
}
