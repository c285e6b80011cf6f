// Generated from the schemas of the server by `npm run docs`: change it there.

export const BATCH_TIMERS_MAX = 1000

/** What the server's refusals are called. */
export type ServerErrorCode =
  | 'INVALID_INPUT'
  | 'NAMESPACE_NOT_ENABLED'
  | 'TIMER_NOT_FOUND'
  | 'CALENDAR_NOT_FOUND'
  | 'TIMER_ALREADY_EXISTS'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'TIMER_NOT_PENDING'
  | 'VERSION_CONFLICT'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE'
  | 'NOT_OWNER'
  | 'INTERNAL'

export type Callback = {
  readonly type: 'http'
  readonly url: string
  /** Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value. */
  readonly headers?: Readonly<Record<string, string>> | undefined
} | {
  readonly type: 'nats'
  readonly topic: string
  readonly key?: string | undefined
  /** Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export type CreateBody = {
  /** Default: default. */
  readonly namespace?: string | undefined
  /** Any text. Default: a new UUIDv7. */
  readonly id?: string | undefined
  /** Instead of an id: a create that is repeated with the same key makes no second timer. The header Idempotency-Key does the same. */
  readonly idempotencyKey?: string | undefined
  /** When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin]. */
  readonly executeAt?: string | undefined
  /** Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, @daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9). */
  readonly schedule?: string | undefined
  /** Whose calendar the schedule follows, such as Europe/Berlin. Default UTC. */
  readonly timeZone?: string | undefined
  /** In the nights when clocks change. */
  readonly dst?: {
    /** A local time that clocks skip: shifted, as much later as they go forward (default), or skipped. */
    readonly gap?: 'shift' | 'skip' | undefined
    /** A local time that clocks show twice: the first time (default), the second, or both. Cron whose minutes or hours begin with * has both as its default. */
    readonly overlap?: 'first' | 'second' | 'both' | undefined
  } | undefined
  /** Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then. */
  readonly startAt?: string | undefined
  /** Of a schedule that repeats: nothing fires after. Written as startAt. */
  readonly endAt?: string | undefined
  /** Of a schedule that repeats: how many iterations it has. Those that are passed over count. */
  readonly maxFirings?: number | undefined
  /** Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h. */
  readonly spread?: string | undefined
  /** A calendar: nothing fires when it says so. */
  readonly calendar?: {
    /** Its name in the namespace. */
    readonly name: string
    /** A firing that the calendar excludes: skip it (default where the schedule repeats), or move it to the next allowed time (what fires once is always moved). */
    readonly onExcluded?: 'skip' | 'move' | undefined
  } | undefined
  /** Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3}). */
  readonly catchUp?: 'all' | 'one' | 'none' | {
    readonly max: number
  } | undefined
  /** A firing that would begin later than this after its due time is missed: it is not made, and counted in skipped. PT1H or 1h. */
  readonly maxLateness?: string | undefined
  /** Iterations that come due while the last one is not over: skip them; queue one, the last; or allow each to run beside the others, with its own retries. By default every one follows, one after the other. */
  readonly overlap?: 'skip' | 'queue' | 'allow' | undefined
  /** Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***. */
  readonly callbackUrl?: string | undefined
  /** Where the timer fires, with headers or over NATS; instead of callbackUrl. */
  readonly callback?: {
    readonly type: 'http'
    readonly url: string
    /** Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value. */
    readonly headers?: Readonly<Record<string, string>> | undefined
  } | {
    readonly type: 'nats'
    readonly topic: string
    readonly key?: string | undefined
    /** Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value. */
    readonly headers?: Readonly<Record<string, string>> | undefined
  } | undefined
  /** Any JSON; delivered as it is. */
  readonly payload?: unknown
  /** Labels to find timers by: strings, numbers, booleans or null. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | null | undefined
  /** When a failed delivery is tried again. Fields left out have their defaults; in an update they stay as they are. */
  readonly retryPolicy?: {
    /** Attempts after the first, 0 to 100. Default 3. */
    readonly maxRetries?: number | undefined
    /** Attempts in all, the first included, 1 to 101; instead of maxRetries. */
    readonly maxAttempts?: number | undefined
    /** Wait before the first retry, such as 30s or PT30S. Default 30s. */
    readonly initialInterval?: string | undefined
    /** Each wait is so many times the last. Default 2. */
    readonly backoffMultiplier?: number | undefined
    /** Same as backoffMultiplier. */
    readonly multiplier?: number | undefined
    /** The longest wait. Default 10m. */
    readonly maxInterval?: string | undefined
    /** No attempt starts later after the first one. Default 24h. */
    readonly maxRetryAttemptsDuration?: string | undefined
    /** Same as maxRetryAttemptsDuration. */
    readonly maxAttemptsDuration?: string | undefined
  } | undefined
  /** How long the receiver may take, 1s to 1h. Default 30s. */
  readonly callbackTimeout?: string | undefined
  /** The same in seconds. */
  readonly callbackTimeoutSeconds?: number | undefined
  /** When the id is taken: replace the timer (default), keep it and answer with it, or reject with 409. */
  readonly onConflict?: 'replace' | 'keep' | 'reject' | undefined
}

export type UpdateBody = {
  /** Default: default. */
  readonly namespace?: string | undefined
  /** The timer’s id. */
  readonly timerId: string
  /** When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin]. */
  readonly executeAt?: string | undefined
  /** Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, @daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9). */
  readonly schedule?: string | undefined
  /** Whose calendar the schedule follows, such as Europe/Berlin. Default UTC. */
  readonly timeZone?: string | undefined
  /** In the nights when clocks change. */
  readonly dst?: {
    /** A local time that clocks skip: shifted, as much later as they go forward (default), or skipped. */
    readonly gap?: 'shift' | 'skip' | undefined
    /** A local time that clocks show twice: the first time (default), the second, or both. Cron whose minutes or hours begin with * has both as its default. */
    readonly overlap?: 'first' | 'second' | 'both' | undefined
  } | undefined
  /** Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then. */
  readonly startAt?: string | undefined
  /** Of a schedule that repeats: nothing fires after. Written as startAt. */
  readonly endAt?: string | undefined
  /** Of a schedule that repeats: how many iterations it has. Those that are passed over count. */
  readonly maxFirings?: number | undefined
  /** Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h. */
  readonly spread?: string | undefined
  /** A calendar: nothing fires when it says so. */
  readonly calendar?: {
    /** Its name in the namespace. */
    readonly name: string
    /** A firing that the calendar excludes: skip it (default where the schedule repeats), or move it to the next allowed time (what fires once is always moved). */
    readonly onExcluded?: 'skip' | 'move' | undefined
  } | undefined
  /** Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3}). */
  readonly catchUp?: 'all' | 'one' | 'none' | {
    readonly max: number
  } | undefined
  /** A firing that would begin later than this after its due time is missed: it is not made, and counted in skipped. PT1H or 1h. */
  readonly maxLateness?: string | undefined
  /** Iterations that come due while the last one is not over: skip them; queue one, the last; or allow each to run beside the others, with its own retries. By default every one follows, one after the other. */
  readonly overlap?: 'skip' | 'queue' | 'allow' | undefined
  /** Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***. */
  readonly callbackUrl?: string | undefined
  /** Where the timer fires, with headers or over NATS; instead of callbackUrl. */
  readonly callback?: {
    readonly type: 'http'
    readonly url: string
    /** Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value. */
    readonly headers?: Readonly<Record<string, string>> | undefined
  } | {
    readonly type: 'nats'
    readonly topic: string
    readonly key?: string | undefined
    /** Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value. */
    readonly headers?: Readonly<Record<string, string>> | undefined
  } | undefined
  /** Any JSON; delivered as it is. */
  readonly payload?: unknown
  /** Labels to find timers by: strings, numbers, booleans or null. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | null | undefined
  /** When a failed delivery is tried again. Fields left out have their defaults; in an update they stay as they are. */
  readonly retryPolicy?: {
    /** Attempts after the first, 0 to 100. Default 3. */
    readonly maxRetries?: number | undefined
    /** Attempts in all, the first included, 1 to 101; instead of maxRetries. */
    readonly maxAttempts?: number | undefined
    /** Wait before the first retry, such as 30s or PT30S. Default 30s. */
    readonly initialInterval?: string | undefined
    /** Each wait is so many times the last. Default 2. */
    readonly backoffMultiplier?: number | undefined
    /** Same as backoffMultiplier. */
    readonly multiplier?: number | undefined
    /** The longest wait. Default 10m. */
    readonly maxInterval?: string | undefined
    /** No attempt starts later after the first one. Default 24h. */
    readonly maxRetryAttemptsDuration?: string | undefined
    /** Same as maxRetryAttemptsDuration. */
    readonly maxAttemptsDuration?: string | undefined
  } | undefined
  /** How long the receiver may take, 1s to 1h. Default 30s. */
  readonly callbackTimeout?: string | undefined
  /** The same in seconds. */
  readonly callbackTimeoutSeconds?: number | undefined
  /** Refused with 409 unless the timer has this version. */
  readonly ifVersion?: number | undefined
  /** Bring the timer back if it failed: with these changes it is pending again and fires at once, or when they say. Its attempts are kept. */
  readonly retry?: boolean | undefined
}

export type GetBody = {
  /** Default: default. */
  readonly namespace?: string | undefined
  /** The timer’s id. */
  readonly timerId: string
  /** Show the values of callback headers as they are. */
  readonly includeSecrets?: boolean | undefined
}

export type DeleteBody = {
  /** Default: default. */
  readonly namespace?: string | undefined
  /** The timer’s id. */
  readonly timerId: string
  /** Refused with 409 unless the timer has this version. */
  readonly ifVersion?: number | undefined
}

export type NameBody = {
  /** Default: default. */
  readonly namespace?: string | undefined
  /** The timer’s id. */
  readonly timerId: string
}

export type ListBody = {
  /** Default: default. * is all namespaces that the key may see. */
  readonly namespace?: string | undefined
  readonly status?: 'pending' | 'paused' | 'executing' | 'completed' | 'failed' | 'canceled' | readonly ('pending' | 'paused' | 'executing' | 'completed' | 'failed' | 'canceled')[] | undefined
  /** Due at this instant or later. */
  readonly dueFrom?: string | undefined
  /** Due before this instant. */
  readonly dueTo?: string | undefined
  /** A key their metadata must have. */
  readonly metadataKey?: string | undefined
  /** The value that key must have. */
  readonly metadataValue?: string | number | boolean | undefined
  /** Ids that begin with this text; of too many timers to look through, the very id. searched in the answer says which. */
  readonly search?: string | undefined
  /** Sorted and counted: the answer has a total and no nextCursor. */
  readonly sort?: 'dueAt' | 'createdAt' | undefined
  /** Default: asc. */
  readonly order?: 'asc' | 'desc' | undefined
  /** How many to pass over, for a sorted list. */
  readonly offset?: number | undefined
  /** Timers on a page. Default 100; cut to 1000 if more. */
  readonly limit?: number | undefined
  /** nextCursor of the page before. */
  readonly cursor?: string | undefined
  /** Which fields the timers are shown with. What is left out is not read: more timers fit on a page without payload. */
  readonly fields?: readonly ('id' | 'namespace' | 'groupId' | 'status' | 'executeAt' | 'schedule' | 'timeZone' | 'dst' | 'startAt' | 'endAt' | 'maxFirings' | 'spread' | 'calendar' | 'nominalAt' | 'iteration' | 'catchUp' | 'maxLateness' | 'overlap' | 'skipped' | 'running' | 'pausedUntil' | 'callbackUrl' | 'callback' | 'payload' | 'metadata' | 'retryPolicy' | 'callbackTimeout' | 'callbackTimeoutSeconds' | 'createdAt' | 'updatedAt' | 'executedAt' | 'triggeredAt' | 'nextAttemptAt' | 'attemptCount' | 'attempts' | 'lastError' | 'correlationId' | 'version' | 'deliveryId')[] | undefined
}

export type CancelBody = {
  /** Default: default. */
  readonly namespace?: string | undefined
  readonly status?: 'pending' | 'paused' | 'executing' | 'completed' | 'failed' | 'canceled' | readonly ('pending' | 'paused' | 'executing' | 'completed' | 'failed' | 'canceled')[] | undefined
  /** Due at this instant or later. */
  readonly dueFrom?: string | undefined
  /** Due before this instant. */
  readonly dueTo?: string | undefined
  /** A key their metadata must have. */
  readonly metadataKey?: string | undefined
  /** The value that key must have. */
  readonly metadataValue?: string | number | boolean | undefined
  /** Without any other filter: every timer of the namespace. */
  readonly all?: boolean | undefined
  /** Only count what would change. */
  readonly dryRun?: boolean | undefined
}

export type PreviewBody = {
  /** When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin]. */
  readonly executeAt?: string | undefined
  /** Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, @daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9). */
  readonly schedule?: string | undefined
  /** Whose calendar the schedule follows; the answer shows its local times too. */
  readonly timeZone?: string | undefined
  /** In the nights when clocks change. */
  readonly dst?: {
    /** A local time that clocks skip: shifted, as much later as they go forward (default), or skipped. */
    readonly gap?: 'shift' | 'skip' | undefined
    /** A local time that clocks show twice: the first time (default), the second, or both. Cron whose minutes or hours begin with * has both as its default. */
    readonly overlap?: 'first' | 'second' | 'both' | undefined
  } | undefined
  /** Of a schedule that repeats: nothing fires before. An instant, or a local time in the timeZone. A cycle without a start of its own begins then. */
  readonly startAt?: string | undefined
  /** Of a schedule that repeats: nothing fires after. Written as startAt. */
  readonly endAt?: string | undefined
  /** Of a schedule that repeats: how many iterations it has. Those that are passed over count. */
  readonly maxFirings?: number | undefined
  /** Up to so much later, such as PT5M or 5m: by a part that follows from the timer’s id, so that many timers of one time do not fire at once. At most 24h. */
  readonly spread?: string | undefined
  /** A calendar: nothing fires when it says so. */
  readonly calendar?: {
    /** Its name in the namespace. */
    readonly name: string
    /** A firing that the calendar excludes: skip it (default where the schedule repeats), or move it to the next allowed time (what fires once is always moved). */
    readonly onExcluded?: 'skip' | 'move' | undefined
  } | undefined
  /** Only firings at this instant or later. */
  readonly from?: string | undefined
  /** Only firings before this instant. */
  readonly to?: string | undefined
  /** Default: default. */
  readonly namespace?: string | undefined
  /** Of the timer that is meant, which decides how far its firings are spread. */
  readonly id?: string | undefined
  /** How many firings. Default 5. */
  readonly count?: number | undefined
}

export type ForecastQuery = {
  /** Of this namespace only. Default: all that the key may see. */
  readonly namespace?: string | undefined
  /** Default: minute. */
  readonly step?: 'second' | 'minute' | 'hour' | 'day' | undefined
  /** How many, up to 366. Default 60. */
  readonly steps?: string | undefined
}

export type CallbackTestBody = {
  /** Default: default. */
  readonly namespace?: string | undefined
  /** Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***. */
  readonly callbackUrl?: string | undefined
  /** Where the timer fires, with headers or over NATS; instead of callbackUrl. */
  readonly callback?: {
    readonly type: 'http'
    readonly url: string
    /** Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value. */
    readonly headers?: Readonly<Record<string, string>> | undefined
  } | {
    readonly type: 'nats'
    readonly topic: string
    readonly key?: string | undefined
    /** Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value. */
    readonly headers?: Readonly<Record<string, string>> | undefined
  } | undefined
  /** Any JSON; delivered as it is. */
  readonly payload?: unknown
  /** Labels to find timers by: strings, numbers, booleans or null. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | null | undefined
  /** How long the receiver may take, 1s to 1h. Default 30s. */
  readonly callbackTimeout?: string | undefined
  /** The same in seconds. */
  readonly callbackTimeoutSeconds?: number | undefined
}

export type CalendarBody = {
  /** Whose days and clocks are meant, such as Europe/Berlin. Default UTC. */
  readonly timeZone?: string | undefined
  /** When nothing fires: 2026-12-25 (a day), 2026-12-24/2027-01-01 (the days from the first to the last), --12-25 (of every year), SAT-SUN, 12:00-13:00 (of every day), or days with a time: MON-FRI 09:00-17:00. */
  readonly exclude?: readonly string[] | undefined
  /** If there are any, nothing fires at other times. The same forms. What is excluded stays so. */
  readonly allow?: readonly string[] | undefined
}

export type TimerAnswer = {
  readonly id: string
  readonly namespace: string
  /** The namespace by its other name. */
  readonly groupId: string
  readonly status: 'pending' | 'paused' | 'executing' | 'completed' | 'failed' | 'canceled'
  /** When the current firing is due; a trigger of a cycle does not move it, nor do retries. */
  readonly executeAt: string
  /** As it was given; absent for a plain executeAt. */
  readonly schedule?: string
  readonly timeZone?: string
  /** In the nights when clocks change. */
  readonly dst?: {
    /** A local time that clocks skip: shifted, as much later as they go forward (default), or skipped. */
    readonly gap?: 'shift' | 'skip'
    /** A local time that clocks show twice: the first time (default), the second, or both. Cron whose minutes or hours begin with * has both as its default. */
    readonly overlap?: 'first' | 'second' | 'both'
  }
  /** Nothing fires before. */
  readonly startAt?: string
  /** Nothing fires after. */
  readonly endAt?: string
  /** How many iterations it has. */
  readonly maxFirings?: number
  /** How far firings of many timers are spread. */
  readonly spread?: string
  /** A calendar: nothing fires when it says so. */
  readonly calendar?: {
    /** Its name in the namespace. */
    readonly name: string
    /** A firing that the calendar excludes: skip it (default where the schedule repeats), or move it to the next allowed time (what fires once is always moved). */
    readonly onExcluded?: 'skip' | 'move'
  }
  /** When the schedule says that the current firing is, if executeAt is another time. */
  readonly nominalAt?: string
  /** Which iteration of a cycle is next, from 1. */
  readonly iteration?: number
  /** Iterations missed while the service was down: deliver all of them (default), one for all, none (later than a minute, or than maxLateness, is missed), or the last so many ({"max": 3}). */
  readonly catchUp?: 'all' | 'one' | 'none' | {
    readonly max: number
  }
  /** What would begin later than this is missed. */
  readonly maxLateness?: string
  /** skip, queue or allow. */
  readonly overlap?: string
  /** How many iterations were not fired; absent for none. */
  readonly skipped?: number
  /** With overlap allow: iterations that have begun and are not over, beside the next one. */
  readonly running?: readonly ({
    readonly iteration: number
    readonly executeAt: string
    /** Attempts that have ended. */
    readonly attemptCount: number
    /** When it is, or was, tried again. */
    readonly nextAttemptAt?: string
    readonly deliveryId: string
  })[]
  /** When the pause ends by itself. */
  readonly pausedUntil?: string
  readonly callbackUrl?: string
  /** As it was given; header values are shown as ***. */
  readonly callback?: unknown
  readonly payload?: unknown
  readonly metadata?: unknown
  readonly retryPolicy: {
    readonly maxRetries: number
    readonly initialInterval: string
    readonly backoffMultiplier: number
    readonly maxInterval: string
    readonly maxRetryAttemptsDuration: string
  }
  readonly callbackTimeout: string
  readonly callbackTimeoutSeconds: number
  readonly createdAt: string
  readonly updatedAt: string
  /** When the last attempt started. */
  readonly executedAt?: string
  /** Of a cycle: it fires once more, beside its schedule, as was asked for then. */
  readonly triggeredAt?: string
  /** While it waits for a retry. */
  readonly nextAttemptAt?: string
  /** Attempts made of the current firing. */
  readonly attemptCount: number
  /** The last attempts, oldest first. */
  readonly attempts: readonly ({
    readonly at: string
    readonly durationMs: number
    readonly outcome: 'delivered' | 'rescheduled' | 'failed'
    readonly statusCode?: number
    readonly error?: string
    /** What is worth knowing although it is no failure: an unexpected answer, a wait that was changed. */
    readonly note?: string
    /** Of one that ran beside others. */
    readonly iteration?: number
  })[]
  readonly lastError?: string
  /** Of a timer that a message made: as the message had it. */
  readonly correlationId?: string
  /** Grows with every change; see ifVersion. */
  readonly version: number
  /** Sent with every attempt of the current firing, to recognise duplicates by. */
  readonly deliveryId: string
}

export type ErrorAnswer = {
  readonly error: 'INVALID_INPUT' | 'NAMESPACE_NOT_ENABLED' | 'TIMER_NOT_FOUND' | 'CALENDAR_NOT_FOUND' | 'TIMER_ALREADY_EXISTS' | 'IDEMPOTENCY_KEY_REUSED' | 'TIMER_NOT_PENDING' | 'VERSION_CONFLICT' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'ROUTE_NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'RATE_LIMITED' | 'UNAVAILABLE' | 'NOT_OWNER' | 'INTERNAL'
  /** For people: what is wrong and what is right. */
  readonly message: string
  /** field names what is wrong with a request. */
  readonly details: Readonly<Record<string, unknown>>
  readonly timestamp: string
}

export type ListAnswer = {
  readonly timers: readonly TimerAnswer[]
  readonly nextCursor?: string
  /** Of a sorted list or a search: how many match. */
  readonly total?: number
  /** Of a sorted list or a search whose page ended before its limit, because its timers are large: the offset to go on at. */
  readonly nextOffset?: number
  readonly searched?: 'prefix' | 'exact'
}

export type BatchAnswer = {
  readonly results: readonly ({
    readonly status: number
    readonly timer?: TimerAnswer
    /** Instead of timer, of a new plain timer, where Prefer: return=minimal was asked for. */
    readonly made?: {
      readonly executeAt: string
      readonly createdAt: string
      readonly version: number
      readonly deliveryId: string
    }
    readonly error?: string
    readonly message?: string
    readonly details?: unknown
  })[]
  /** With made: what all these timers have in common (status, retryPolicy, callbackTimeout). All else is as the request says. */
  readonly plainTimer?: unknown
  readonly created: number
  /** Where there were updates. */
  readonly updated?: number
  /** Where there were deletes. */
  readonly deleted?: number
  readonly failed: number
}

export type CancelAnswer = {
  readonly matched: number
  readonly tooLate: number
  readonly more: boolean
  readonly canceled: number
}

export type RetryAnswer = TimerAnswer | {
  readonly matched: number
  readonly tooLate: number
  readonly more: boolean
  readonly retried: number
}

export type PreviewAnswer = {
  readonly now: string
  readonly firings: readonly string[]
  readonly timeZone?: string
  readonly localFirings?: readonly string[]
  /** The schedule in words. */
  readonly description: string
  /** Those of the firings that are not simply when the schedule says: where clocks change, say. */
  readonly unusual: readonly ({
    readonly executeAt: string
    /** When the schedule says, if that is another time. */
    readonly nominalAt?: string
    readonly reasons: readonly ('gap' | 'overlap' | 'calendar' | 'spread')[]
    /** The reasons in words. */
    readonly note: string
  })[]
}

export type OverviewAnswer = {
  readonly now: string
  readonly version: string
  readonly node: string
  /** Counts are of the whole cluster; the rest is what this node did since it started. */
  readonly scope: 'node'
  readonly database: string
  readonly startedAt: string
  readonly namespace: string | null
  /** false: there are more namespaces than a node follows, so figures of this one may be missing. */
  readonly tracked: boolean
  readonly counts: {
    readonly pending: number
    readonly paused: number
    readonly executing: number
    readonly completed: number
    readonly failed: number
    readonly canceled: number
  }
  readonly countsAt: string
  /** The 50 with the most live timers. */
  readonly namespaces: readonly ({
    readonly namespace: string
    readonly pending: number
    readonly paused: number
    readonly executing: number
    readonly completed: number
    readonly failed: number
    readonly canceled: number
  })[]
  readonly namespacesTotal: number
  /** Of the whole node; null for a key that is bound to namespaces. */
  readonly gauges: {
    readonly inFlight: number
    readonly ready: number
    readonly windowTimers: number
    readonly commitQueue: number
    readonly ownedShards: number
    readonly listeners: number
  } | null
  readonly lastMinute: {
    readonly fired: number
    readonly delivered: number
    readonly rescheduled: number
    readonly retried: number
    readonly failed: number
    readonly created: number
    readonly canceled: number
  }
  readonly lastHour: {
    readonly fired: number
    readonly delivered: number
    readonly rescheduled: number
    readonly retried: number
    readonly failed: number
    readonly created: number
    readonly canceled: number
  }
  /** Of the last hour, in ms. The histogram has the buckets that something is in. */
  readonly lateness: {
    readonly count: number
    readonly p50: number | null
    readonly p90: number | null
    readonly p99: number | null
    readonly max: number | null
    readonly histogram: readonly ({
      readonly leMs: number
      readonly count: number
    })[]
  }
  readonly latenessLastMinute: {
    readonly count: number
    readonly p50: number | null
    readonly p90: number | null
    readonly p99: number | null
    readonly max: number | null
    readonly histogram: readonly ({
      readonly leMs: number
      readonly count: number
    })[]
  }
  /** The last 60 seconds that are over. */
  readonly perSecond: readonly ({
    readonly at: string
    readonly fired: number
    readonly delivered: number
    readonly rescheduled: number
    readonly retried: number
    readonly failed: number
    readonly created: number
    readonly canceled: number
  })[]
}

export type ForecastAnswer = {
  readonly now: string
  readonly stepMs: number
  readonly steps: readonly ({
    readonly at: string
    readonly count: number
    readonly hot: boolean
  })[]
  /** Due before the first step. */
  readonly overdue: number
  readonly total: number
  /** false: there are more timers than are counted, so some are missing; of hours, those of a day are spread over it instead. */
  readonly complete: boolean
  readonly peak: {
    readonly at: string
    readonly count: number
  } | null
}

export type CallbackTestAnswer = {
  readonly outcome: 'delivered' | 'rescheduled' | 'failed'
  readonly statusCode: number | null
  readonly durationMs: number
  readonly error: string | null
  readonly nextExecuteAt: string | null
  readonly deliveryId: string
  readonly firedAt: string
  readonly responseBody: string | null
  readonly responseTruncated: boolean
}

export type CalendarAnswer = {
  readonly namespace: string
  readonly name: string
  /** Whose days and clocks are meant, such as Europe/Berlin. */
  readonly timeZone: string
  /** When nothing fires. */
  readonly exclude: readonly string[]
  /** If there are any, nothing fires at other times. */
  readonly allow: readonly string[]
}
