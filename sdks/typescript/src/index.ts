// Everything the SDK offers, by name. For servers of Node's own kind there is `@duetime/client/node` as well.

export { Duetime } from './client.ts'
export type {
  BulkFilter,
  BulkOptions,
  BulkProgress,
  Canceled,
  DuetimeOptions,
  PreviewQuery,
  Retried,
} from './client.ts'
export type { BatchResult } from './creating.ts'
export { DuetimeError } from './errors.ts'
export type { ErrorCode } from './errors.ts'
export type { Callback, PreviewAnswer as Preview } from './generated.ts'
export { fail, handler, reschedule } from './handler.ts'
export type { FailOptions, Firing, FiringAnswer, FiringFunction, HandlerOptions } from './handler.ts'
export type { CallbackTest, CallbackTestResult, Cluster, Forecast, ForecastQuery, Overview } from './insight.ts'
export type { LiveBreak, LiveChange, LiveEvent, LiveFiring, LiveOptions, LiveOverview } from './live.ts'
export type { ListQuery, Page, PageQuery, TimerField, TimerFilter, TimerList } from './timer-list.ts'
export type { Metadata, NewTimer, OnConflict, Status, Timer, TimerChanges, TimerName } from './timer.ts'
export type { CallOptions } from './transport.ts'
export { verifyWebhook, WebhookVerificationError } from './webhook.ts'
export type { VerifiedWebhook, VerifyOptions, WebhookHeaders } from './webhook.ts'
export type { DurationFields, DurationLike, DurationText, InstantLike, When } from './when.ts'
