// Where a PostgreSQL database is and how to get in, from a URL as every tool writes it. Read here and not by the
// driver, so that a slip is reported with the other settings and the password never shows in an error.

export const PostgresTlsMode = {
  disable: 'disable',
  require: 'require',
  verifyCa: 'verify-ca',
  verifyFull: 'verify-full',
} as const
export type PostgresTlsMode = (typeof PostgresTlsMode)[keyof typeof PostgresTlsMode]

export type PostgresLocation = {
  /** A host name or address, or the directory of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  /** Null when the server asks for none. */
  readonly password: string | null
  readonly database: string
  readonly tls: PostgresTls
}

export type PostgresTls = {
  readonly mode: PostgresTlsMode
  /** A file with the certificates to trust; null for those that Node trusts. */
  readonly caFile: string | null
  /** What this service shows to a server that asks who it is, and the key for it; null for nothing. */
  readonly certFile: string | null
  readonly keyFile: string | null
}

export const POSTGRES_PORT = 5432
export const PLAINTEXT: PostgresTls = { mode: PostgresTlsMode.disable, caFile: null, certFile: null, keyFile: null }
const FORM = 'postgres://user:password@host:5432/database'
const MODES: readonly string[] = Object.values(PostgresTlsMode)
const PARAMETERS = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']

/** Throws a RangeError that says what is right, without repeating what was given. */
export function parsePostgresUrl(text: string): PostgresLocation {
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new RangeError(
      `a URL like ${FORM}; special characters in user and password are percent-encoded (@ is %40, / is %2F)`,
    )
  }
  const parameters = url.searchParams
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined)
    throw new RangeError(`a URL with no parameters but ${PARAMETERS.join(', ')}; \`${unknown}\` is not known`)
  const host = parameters.get('host') ?? decode(url.hostname).replace(/^\[(.*)\]$/, '$1')
  const database = decode(url.pathname.slice(1))
  const user = decode(url.username)
  if (host === '' || user === '' || database === '') throw new RangeError(`a URL with user, host and database: ${FORM}`)
  return {
    host,
    port: url.port === '' ? POSTGRES_PORT : Number(url.port),
    user,
    password: url.password === '' ? null : decode(url.password),
    database,
    tls: {
      mode: tlsMode(parameters.get('sslmode')),
      caFile: parameters.get('sslrootcert'),
      certFile: parameters.get('sslcert'),
      keyFile: parameters.get('sslkey'),
    },
  }
}

function tlsMode(text: string | null): PostgresTlsMode {
  if (text === null) return PostgresTlsMode.disable
  if (!MODES.includes(text)) throw new RangeError(`a URL whose sslmode is one of ${MODES.join(', ')}`)
  return text as PostgresTlsMode
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    throw new RangeError(`a URL like ${FORM}; a % in user, password or database is written %25`, { cause: error })
  }
}
