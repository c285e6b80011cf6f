// What the routes for people who watch the service are made of.

import type { Overviews } from '../../service/activity/overview.ts'
import type { LiveFeed } from '../../service/activity/live-feed.ts'
import type { CallbackTests } from '../../service/callback-test.ts'
import type { Millis } from '../../core/timer/timer.ts'

export type ObservingParts = {
  readonly overviews: Overviews
  readonly feed: LiveFeed
  readonly callbackTests: CallbackTests
  /** The name of this node, of its database's kind, and when it started. */
  readonly node: { readonly name: string; readonly database: string; readonly startedAt: Millis }
}
