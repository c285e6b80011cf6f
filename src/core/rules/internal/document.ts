// What the service itself keeps: a document by its name, stored as the row of a timer that never fires. So it is durable, has
// versions and one owner, and travels with the timers, in every store, without an operation of its own. Its namespace is one that
// no client can name. Those who ask for all timers do not get it, and no counter counts it.

import { DuetimeError, ErrorCode } from '../../errors.ts'
import { NEVER, Status } from '../../timer/timer.ts'
import type { Timer } from '../../timer/timer.ts'
import type { DocumentCommand } from '../command.ts'
import { emptyTimer } from '../empty-timer.ts'
import { write } from '../steps.ts'
import type { Decision, RuleContext } from '../steps.ts'

export function decideDocument(existing: Timer | null, command: DocumentCommand, { now }: RuleContext): Decision {
  const version = existing?.version ?? 0
  if (version !== command.ifVersion) {
    const message = `the document is at version ${version}, not ${command.ifVersion}: read it again`
    throw new DuetimeError(ErrorCode.versionConflict, message, { ifVersion: command.ifVersion, version })
  }
  const row = existing ?? emptyTimer(command, now)
  return write({
    ...row,
    version: version + 1,
    status: Status.paused,
    wakeAt: NEVER,
    payload: command.document,
    updatedAt: now,
  })
}
