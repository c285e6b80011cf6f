// Requests to the service this page came from. What can go wrong has three shapes: it was refused, with a reason;
// nobody answered; or the one who asked went away.

import { session } from '../session/session.ts'
import { serverClock } from './server-clock.ts'

/** The service answered, and said no. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterMs: number | null

  constructor({ status, code, message, details, retryAfterMs }: ApiFailure) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.retryAfterMs = retryAfterMs
  }

  /** Which field of the request is wrong, by the service's account. */
  get field(): string | null {
    return typeof this.details['field'] === 'string' ? this.details['field'] : null
  }
}

type ApiFailure = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterMs: number | null
}

/** Nobody answered: the service is away, or the network is. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** Paths are relative to the page's own, so that a proxy may put the service under any prefix. */
type Asked = { readonly method?: 'GET' | 'POST'; readonly body?: unknown; readonly signal?: AbortSignal | undefined }

export async function request<T>(path: string, asked: Asked = {}): Promise<T> {
  const sentAt = Date.now()
  const response = await send(path, asked)
  const text = await response.text().catch((error: unknown) => {
    throw lost(error)
  })
  if (!response.ok) throw failureOf(response, text)
  serverClock.noteDate(response.headers.get('date'), { sentAt, arrivedAt: Date.now() })
  return (text === '' ? null : JSON.parse(text)) as T
}

/** For answers that go on: only the status has been looked at. */
export async function openStream(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const response = await send(path, { signal })
  if (!response.ok) throw failureOf(response, await response.text())
  if (response.body === null) throw new Unreachable('the service sent no stream')
  return response.body
}

async function send(path: string, { method = 'GET', body, signal }: Asked): Promise<Response> {
  const key = session.key
  const headers: Record<string, string> = { accept: 'application/json, text/event-stream' }
  if (key !== null) headers['x-api-key'] = key
  if (body !== undefined) headers['content-type'] = 'application/json'
  try {
    const init: RequestInit = { method, headers, cache: 'no-store', credentials: 'same-origin' }
    if (body !== undefined) init.body = JSON.stringify(body)
    if (signal !== undefined) init.signal = signal
    const response = await fetch(path, init)
    if (response.status === 401) session.refused(key)
    return response
  } catch (error) {
    throw lost(error)
  }
}

function lost(error: unknown): unknown {
  const isAborted = error instanceof DOMException && error.name === 'AbortError'
  return isAborted ? error : new Unreachable('The service does not answer.', { cause: error })
}

function failureOf(response: Response, text: string): ApiError {
  const body = parsed(text)
  const details = (typeof body['details'] === 'object' && body['details'] !== null ? body['details'] : {}) as Record<string, unknown>
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError({
    status: response.status,
    code: typeof body['error'] === 'string' ? body['error'] : `HTTP_${response.status}`,
    message: typeof body['message'] === 'string' ? body['message'] : `the service answered ${response.status}`,
    details,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : null,
  })
}

/** A proxy in between may answer with a page of its own. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}
