// Which server a command talks to, as whom, and about which namespace: by flags, or by the environment.

import type { Duetime } from '@duetime/client'
import { Option } from 'commander'
import type { Command } from 'commander'
import { CLIENT_VARIABLES } from '../../runtime/client-environment.ts'
import type { ClientEnvironment } from '../../runtime/client-environment.ts'
import { ServerError } from './refusal.ts'
import { UsageError } from './usage-error.ts'
import { readSpan } from '../when/span.ts'

const DEFAULT_URL = 'http://localhost:8080'
const DEFAULT_TIMEOUT = '15s'
const RETRIES = 3 // somebody waits: a server that is not there is said within a second, a restart is waited out by repeating

export type ConnectionFlags = {
  readonly url?: string
  readonly apiKey?: string
  readonly namespace?: string
  readonly timeout?: string
}

export type Connection = {
  readonly url: string
  /** Null: nobody named one, and `url` is the default. */
  readonly givenUrl: string | null
  readonly apiKey: string | null
  /** Null: nobody named one. */
  readonly namespace: string | null
  readonly timeoutMs: number
}

const GROUP = 'Server:'

export function addConnectionOptions(command: Command, { namespace = true } = {}): Command {
  const option = (usage: string, help: string) => command.addOption(new Option(usage, help).helpGroup(GROUP))
  option('--url <url>', `where the server is (${CLIENT_VARIABLES.url}; default ${DEFAULT_URL})`)
  option('--api-key <key>', `the key to show (${CLIENT_VARIABLES.apiKey}, which others cannot read)`)
  if (namespace) option('-n, --namespace <name>', `the namespace (${CLIENT_VARIABLES.namespace})`)
  option('--timeout <span>', `how long to wait for the server (default ${DEFAULT_TIMEOUT})`)
  return command
}

export function connectionOf(flags: ConnectionFlags, environment: ClientEnvironment): Connection {
  const givenUrl = flags.url ?? environment.url
  const url = URL.parse(givenUrl ?? DEFAULT_URL)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`The server’s URL must begin with http:// or https://, and this does not: ${givenUrl}`)
  }
  const span = readSpan(flags.timeout ?? DEFAULT_TIMEOUT)
  if (span === null || span.isCalendar || span.iso === 'PT0S')
    throw new UsageError(`--timeout ${flags.timeout} is not a length of time: write 5s or 1m.`)
  return {
    url: url.href.replace(/\/+$/, ''),
    givenUrl,
    apiKey: flags.apiKey ?? environment.apiKey,
    namespace: flags.namespace ?? environment.namespace,
    timeoutMs: Temporal.Duration.from(span.iso).total('milliseconds'),
  }
}

/** Calls with a client; its errors come out with the address that was tried. */
export async function withClient<T>(connection: Connection, call: (client: Duetime) => Promise<T>): Promise<T> {
  // Loaded when it is needed, so that --help does not wait for it.
  const { Duetime, DuetimeError } = await import('@duetime/client')
  const { url, apiKey, namespace, timeoutMs } = connection
  const client = new Duetime({
    url,
    timeoutMs,
    retries: RETRIES,
    ...(apiKey !== null && { apiKey }),
    ...(namespace !== null && { namespace }),
  })
  try {
    return await call(client)
  } catch (error) {
    throw error instanceof DuetimeError ? new ServerError(url, error) : error
  }
}
