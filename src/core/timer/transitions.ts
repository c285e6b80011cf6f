// Which status can follow which, and which command is allowed when: two tables, so that the rules can be
// read in one place and every combination can be tested.

import { Status } from './timer.ts'

/**
 * `pending → pending` is an update, a retry or the next iteration of a cycle. A paused cycle can be delivered, by a trigger. Finished timers come back to
 * life only by a create on their id, or, when they failed, by a retry that somebody asked for. A cancel that comes from a
 * stream is remembered by what is there: see sent-commands.ts.
 */
export const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  pending: [Status.pending, Status.paused, Status.executing, Status.completed, Status.failed, Status.canceled],
  paused: [Status.pending, Status.paused, Status.executing, Status.completed, Status.failed, Status.canceled],
  executing: [Status.pending, Status.paused, Status.completed, Status.failed],
  completed: [Status.pending],
  failed: [Status.pending, Status.canceled],
  canceled: [Status.pending, Status.canceled],
}

export type ChangeType = 'update' | 'cancel' | 'trigger' | 'pause' | 'resume' | 'retry'

/** A change in any other status is refused with TIMER_NOT_PENDING: the answer says that it came too late. */
export const ALLOWED_IN: Readonly<Record<ChangeType, readonly Status[]>> = {
  update: [Status.pending, Status.paused],
  cancel: [Status.pending, Status.paused],
  trigger: [Status.pending, Status.paused],
  pause: [Status.pending, Status.paused],
  resume: [Status.pending, Status.paused],
  retry: [Status.failed],
}
