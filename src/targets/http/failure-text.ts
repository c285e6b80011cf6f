// What went wrong on the network, in words for the person who reads `lastError`. The code stays in, for whoever
// searches for it.

export type FailedExchange = {
  /** What a name lookup failed for, when the error does not say it. */
  readonly hostname: string
  /** Whether any byte of an answer had arrived. */
  readonly responseStarted: boolean
}

const MESSAGE_CHARS_MAX = 200 // of a foreign error message; the rest is noise in a list

const CERTIFICATE_CODE =
  /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH/
const HANDSHAKE_CODE = /^(?:EPROTO|ERR_SSL|ERR_TLS)/

export function describeFailure(error: Error, { hostname, responseStarted }: FailedExchange): string {
  const code = codeOf(error)
  const closed = responseStarted
    ? 'connection closed before the response was complete'
    : 'connection closed before a response'
  switch (code) {
    case 'EGRESS_REFUSED':
      return `not allowed: ${error.message}`
    case 'ECONNREFUSED':
      return 'connection refused (ECONNREFUSED)'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
    case 'EAI_NODATA':
      return `DNS lookup failed for ${(error as { hostname?: string }).hostname ?? hostname} (${code})`
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'timed out while connecting (ETIMEDOUT)'
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `host unreachable (${code})`
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return closed
    case 'ECONNRESET':
    case 'EPIPE':
      return `${closed} (${code})`
    case 'UND_ERR_HEADERS_OVERFLOW':
      return 'the response headers are too large'
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
      return `the request cannot be sent: ${bounded(error.message)}`
  }
  if (CERTIFICATE_CODE.test(code)) return `TLS certificate not accepted: ${bounded(error.message)} (${code})`
  if (HANDSHAKE_CODE.test(code)) return `TLS handshake failed (${code}): is this an https port?`
  if (error.name === 'HTTPParserError') return 'the response is not valid HTTP'
  return code === '' ? bounded(error.message) : `${bounded(error.message)} (${code})`
}

/** 30000 reads 30s, 1500 reads 1.5s. */
export function describeWait(ms: number): string {
  return `${Number((ms / 1_000).toFixed(3))}s`
}

/** Several addresses that all failed arrive as one error around theirs. */
function codeOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return code
  return error instanceof AggregateError && error.errors[0] instanceof Error ? codeOf(error.errors[0]) : ''
}

function bounded(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim()
  return line.length > MESSAGE_CHARS_MAX ? `${line.slice(0, MESSAGE_CHARS_MAX)}…` : line
}
