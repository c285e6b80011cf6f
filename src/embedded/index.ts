// What `import … from 'duetime'` gives: everything a program needs, and nothing else.

// oxlint-disable-next-line import/no-unassigned-import -- the imports below fail where it does
import './requires-node.ts'
// oxlint-disable-next-line import/no-unassigned-import -- what it does is all there is to it
import '../runtime/temporal.ts'

export { openDuetime } from './open.ts'
export type { OpenOptions } from './open.ts'
export type { BatchResult, Duetime, TimerPage } from './duetime.ts'
export type { CreateManyOptions, CreateManyProgress } from './create-many.ts'
export type { Calendar, Calendars } from './calendars.ts'
export type { CalendarFields, CreateFields, ListFields, TimerRef, UpdateFields } from './input/fields.ts'
export { reschedule } from './handler.ts'
export type { Firing, Handler, Reschedule } from './handler.ts'
export type { Attempt, RunningIteration, Timer } from './shown-timer.ts'
export { testClock } from './test-clock.ts'
export type { TestClock } from './test-clock.ts'
export type { DurationLike, DurationText, InstantLike, When } from './input/when.ts'
export { FinalFailure } from '../targets/function/function-target.ts'
export { DuetimeError, ErrorCode } from '../core/errors.ts'
export { Status } from '../core/timer/timer.ts'
