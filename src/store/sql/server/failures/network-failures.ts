// What goes wrong between here and a database server, whichever it is, said so that the reader knows what to do.

import type { ServerTls } from '../../../../runtime/config/databases/server-location.ts'

const CUT = 'the connection was cut'
// By the code of Node's network errors.
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: check host and port, and that the server runs',
  ENOTFOUND: 'there is no such host: check its name',
  EAI_AGAIN: 'the name of the host cannot be resolved right now',
  ENOENT: 'there is no such socket: check the directory, and that the server runs',
  ETIMEDOUT: 'it does not answer: check host, port and firewalls',
  EHOSTUNREACH: 'there is no route to it',
  ECONNRESET: CUT,
  EPIPE: CUT,
}
// By the code of a TLS error or, where a driver has put one of its own in its place, by the text.
const OTHER_HOST = /^ERR_TLS_CERT_ALTNAME_INVALID|is not in the cert's altnames/
const OWN_CERTIFICATE_REFUSED = /ALERT_| alert /
const NOT_TRUSTED = /^\w*(?:CERT|ISSUER|SIGNATURE|CRL)|self-signed certificate|unable to (?:get|verify) .*certificate/

/** What the names of settings begin with. */
export type SettingsPrefix = 'PG' | 'MYSQL'

export type NetworkContext = {
  readonly settings: SettingsPrefix
  readonly tls: ServerTls
  readonly isConnecting: boolean
  /** What the driver says, and what it means. */
  readonly byText: readonly (readonly [RegExp, string])[]
}

/** Null when there is nothing to add to what the error says. */
export function networkAdvice(error: unknown, { settings, tls, isConnecting, byText }: NetworkContext): string | null {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? ''
  const text = detailOf(error)
  const said = `${code} ${text}`
  if (OTHER_HOST.test(said))
    return `its certificate is for another host: check the name, or set ${settings}_SSL=verify-ca`
  const inDriver = byText.find(([pattern]) => pattern.test(text))?.[1]
  const known = BY_CODE[code] ?? inDriver ?? (/Connection terminated/.test(text) ? CUT : undefined)
  const refused = `it refused the certificate of this service: see ${settings}_SSL_CERT`
  // A server that refuses a certificate says so and hangs up, and the second may arrive before the first.
  if (known === CUT && isConnecting && tls.certFile !== null) return `${CUT}; it may be that ${refused}`
  if (known !== undefined) return known
  if (OWN_CERTIFICATE_REFUSED.test(said)) return refused
  if (NOT_TRUSTED.test(said))
    return `its certificate is not trusted: name the file of its authority in ${settings}_SSL_CA`
  return /PEM routines|no start line|bad base64|key values mismatch/i.test(text)
    ? `${settings}_SSL_CERT and ${settings}_SSL_KEY are not a certificate and its key`
    : null
}

export function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The part of OpenSSL's errors that means something.
  if ('reason' in error && typeof error.reason === 'string' && error.reason !== '') return error.reason
  // A host with several addresses gives one error for all of them, without a text of its own.
  return error.message === '' ? ((error as NodeJS.ErrnoException).code ?? error.name) : error.message
}
