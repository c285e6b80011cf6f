// What the server refused, or why there was no answer, in words for whoever typed the command.

import type { DuetimeError } from '@duetime/client'
import { CLIENT_VARIABLES } from '../../runtime/client-environment.ts'
import { ExitCode } from './exit-codes.ts'

export type Refusal = { readonly message: string; readonly exitCode: ExitCode }

/** An error of the client, with the address it was trying. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly url: string
  readonly refused: DuetimeError

  constructor(url: string, refused: DuetimeError) {
    super(refused.message, { cause: refused })
    this.url = url
    this.refused = refused
  }
}

/** Null when the error is of another kind. */
export function refusalOf(error: Error): Refusal | null {
  if (!(error instanceof ServerError)) return null
  const { code, details } = error.refused
  const advice = adviceFor(error)
  const field =
    typeof details['field'] === 'string' && !error.message.includes(details['field']) ? ` (${details['field']})` : ''
  return {
    message: `${sentence(error.message)}${field}${advice === null ? '' : `\n${advice}`}`,
    exitCode: EXIT_CODES[code] ?? ExitCode.failed,
  }
}

const EXIT_CODES: Readonly<Partial<Record<DuetimeError['code'], ExitCode>>> = {
  INVALID_INPUT: ExitCode.usage,
  NAMESPACE_NOT_ENABLED: ExitCode.usage,
  PAYLOAD_TOO_LARGE: ExitCode.usage,
  TIMER_NOT_FOUND: ExitCode.notFound,
  CALENDAR_NOT_FOUND: ExitCode.notFound,
  TIMER_ALREADY_EXISTS: ExitCode.conflict,
  TIMER_NOT_PENDING: ExitCode.conflict,
  VERSION_CONFLICT: ExitCode.conflict,
  UNAUTHORIZED: ExitCode.access,
  FORBIDDEN: ExitCode.access,
  NETWORK: ExitCode.unreachable,
  TIMEOUT: ExitCode.unreachable,
  RATE_LIMITED: ExitCode.tryLater,
  UNAVAILABLE: ExitCode.tryLater,
  NOT_OWNER: ExitCode.tryLater,
}

function adviceFor({ url, refused }: ServerError): string | null {
  switch (refused.code) {
    case 'NETWORK':
    case 'TIMEOUT':
      return `Tried ${url}. Start a server with \`duetime serve\`, or name yours with --url or ${CLIENT_VARIABLES.url}.`
    case 'BAD_ANSWER':
      return `What answers at ${url} does not seem to be Duetime, or something stands between. Check --url or ${CLIENT_VARIABLES.url}.`
    case 'ROUTE_NOT_FOUND':
      return `The server at ${url} is older than this program, or something else. \`duetime doctor\` tells its version.`
    case 'UNAUTHORIZED':
      return `Give a key with ${CLIENT_VARIABLES.apiKey} (or --api-key, which others here can read). \`duetime keys create\` makes one.`
    case 'FORBIDDEN':
      return `Use a key that may: ${CLIENT_VARIABLES.apiKey} or --api-key, and -n or ${CLIENT_VARIABLES.namespace} for the namespace.`
    case 'TIMER_NOT_FOUND':
      return 'Is it in another namespace (-n)? Finished timers are removed when their retention is over.'
    case 'VERSION_CONFLICT':
      return 'Look at it again with `duetime get` and decide anew.'
    case 'INTERNAL':
      return `The server’s log has the cause under the request id ${refused.requestId}.`
    default:
      return null
  }
}

/** Messages of the service begin in lower case; the name of a field, such as callbackUrl, stays what it is. */
function sentence(text: string): string {
  return /^[a-z]+\b/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
