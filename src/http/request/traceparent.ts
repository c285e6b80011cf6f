// The W3C trace context of a request, kept with the timer so that its deliveries belong to the same trace.

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/** Null when there is none, or one that is not valid: tracing must never be the reason for a refusal. */
export function readTraceparent(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : null
}
