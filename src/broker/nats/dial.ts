// Getting in: where to, with which credentials and certificates, and in which words it failed.

import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { connect, credsAuthenticator, errors } from '@nats-io/transport-node'
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node'
import type { BrokerSettings } from '../../runtime/config/broker.ts'

const PING_INTERVAL_MS = 10_000 // with two unanswered pings allowed, a dead network is noticed within half a minute

export type DialOptions = {
  /** For each server. */
  readonly timeoutMs: number
  /** Which of the servers is tried first; the others follow in their order. */
  readonly first?: number
  /** Aborted, the servers that are left are not tried. */
  readonly signal?: AbortSignal
}

/** Throws what the last of the servers said. */
export async function dial(
  settings: BrokerSettings,
  { timeoutMs, first = 0, signal }: DialOptions,
): Promise<NatsConnection> {
  // One by one and not by the client library, which checks the certificate of a server that is given by its address
  // against the name `localhost` unless it is told the address.
  const { servers } = settings
  for (let tried = 1; ; tried++) {
    const server = servers[(first + tried - 1) % servers.length]!
    try {
      return await connect({ ...(await optionsFor(settings, server)), timeout: timeoutMs })
    } catch (error) {
      if (tried === servers.length || signal?.aborted)
        throw settings.tls !== null && isCut(error) ? new CutHandshake(error) : error
    }
  }
}

function isCut(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException | null)?.code ?? '')
}

/** Who refuses a certificate says so and hangs up, and the second may arrive before the first. */
class CutHandshake extends Error {
  constructor(cause: unknown) {
    super('the broker cut the connection; if it asks for a certificate of this service: see NATS_TLS_CERT', { cause })
  }
}

/** Files are read for every connection, so that renewed credentials are taken without a restart. */
async function optionsFor(settings: BrokerSettings, server: string): Promise<NodeConnectionOptions> {
  const { user, password, token, credentialsFile, tls } = settings
  return {
    servers: [server],
    name: 'duetime',
    reconnect: false,
    pingInterval: PING_INTERVAL_MS,
    noAsyncTraces: true, // stack traces for every request cost more than the requests
    ...(user !== null && { user }),
    ...(password !== null && { pass: password }),
    ...(token !== null && { token }),
    ...(credentialsFile !== null && { authenticator: credsAuthenticator(await readFile(credentialsFile)) }),
    ...(tls !== null && { tls: { ...(await readTls(tls)), ...addressOf(server) } }),
  }
}

async function readTls(tls: NonNullable<BrokerSettings['tls']>): Promise<{ ca?: string; cert?: string; key?: string }> {
  const read = async (path: string | null) => (path === null ? undefined : readFile(path, 'utf8'))
  const [ca, cert, key] = await Promise.all([read(tls.caFile), read(tls.certFile), read(tls.keyFile)])
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) }
}

function addressOf(server: string): { host?: string } {
  const host = server.slice(0, server.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? {} : { host }
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
}
const NETWORK_PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such host',
  ECONNRESET: 'the broker cut the connection',
  EPIPE: 'the broker cut the connection',
}
const NO_CERTIFICATE = /PEM routines|no start line|bad base64|key values mismatch/i
const OWN_CERTIFICATE_REFUSED =
  /ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|HANDSHAKE_FAILURE)/
const UNTRUSTED = /CERT|ISSUER|SIGNATURE|CRL/

/** For the log and /readyz: what is wrong, and where to look. */
export function reasonOf(error: unknown): string {
  if (error instanceof errors.AuthorizationError) return 'the broker refused the credentials'
  if (error instanceof errors.UserAuthenticationExpiredError) return 'the credentials have expired'
  if (!(error instanceof Error)) return 'unknown error'
  // `reason` is the part of OpenSSL's errors that means something; Node's advice at the end is about Node.
  const { code = '', path, reason } = error as NodeJS.ErrnoException & { readonly reason?: string }
  const detail = (reason ?? error.message).replace(/; if the root CA is installed.*$/i, '')
  if (path !== undefined) return `cannot read ${path}: ${FILE_PROBLEMS[code] ?? detail}`
  if (NO_CERTIFICATE.test(detail)) return `NATS_TLS_CERT and NATS_TLS_KEY are not a certificate and its key (${detail})`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `the certificate is for another host: ${detail}`
  if (OWN_CERTIFICATE_REFUSED.test(code))
    return `the broker refused the certificate of this service (${detail}): see NATS_TLS_CERT`
  if (UNTRUSTED.test(code))
    return `the certificate is not trusted (${detail}): name the file of its authority in NATS_TLS_CA`
  const known = NETWORK_PROBLEMS[code]
  return known === undefined ? detail.charAt(0).toLowerCase() + detail.slice(1) : `${known} (${detail})`
}
