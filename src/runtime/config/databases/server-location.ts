// Where a database on a server is and how to get in, from a URL as every tool writes it. Read here and not by the driver, so
// that a slip is reported with the other settings and the password never shows in an error.

export const TlsMode = {
  disable: 'disable',
  require: 'require',
  verifyCa: 'verify-ca',
  verifyFull: 'verify-full',
} as const
export type TlsMode = (typeof TlsMode)[keyof typeof TlsMode]

export type ServerLocation = {
  /** A host name or address, or a Unix socket as the server's tools name it. */
  readonly host: string
  readonly port: number
  readonly user: string
  /** Null when the server asks for none. */
  readonly password: string | null
  readonly database: string
  readonly tls: ServerTls
}

export type ServerTls = {
  readonly mode: TlsMode
  /** A file with the certificates to trust; null for those that Node trusts. */
  readonly caFile: string | null
  /** What this service shows to a server that asks who it is, and the key for it; null for nothing. */
  readonly certFile: string | null
  readonly keyFile: string | null
}

export const PLAINTEXT: ServerTls = { mode: TlsMode.disable, caFile: null, certFile: null, keyFile: null }

/** How the URL of one kind of server is written. */
export type ServerUrl = {
  readonly schemes: readonly string[]
  readonly form: string
  readonly port: number
  /** The names of its parameters. */
  readonly parameters: Readonly<Record<'host' | 'mode' | 'ca' | 'cert' | 'key', string>>
  /** The values of `mode`. */
  readonly modes: Readonly<Record<string, TlsMode>>
}

/** Throws a RangeError that says what is right, without repeating what was given. */
export function parseServerUrl(text: string, { schemes, form, port, parameters, modes }: ServerUrl): ServerLocation {
  const url = URL.parse(text)
  if (url === null || !schemes.includes(url.protocol.slice(0, -1))) {
    throw new RangeError(
      `a URL like ${form}; special characters in user and password are percent-encoded (@ is %40, / is %2F)`,
    )
  }
  const given = url.searchParams
  const known = Object.values(parameters)
  const unknown = [...given.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new RangeError(`a URL with no parameters but ${known.join(', ')}; \`${unknown}\` is not known`)
  const decode = (part: string) => decoded(part, form)
  const host = given.get(parameters.host) ?? decode(url.hostname).replace(/^\[(.*)\]$/, '$1')
  const database = decode(url.pathname.slice(1))
  const user = decode(url.username)
  if (host === '' || user === '' || database === '') throw new RangeError(`a URL with user, host and database: ${form}`)
  const mode = given.get(parameters.mode)
  const tlsMode = mode === null ? TlsMode.disable : (modes[mode] ?? modes[mode.toUpperCase()])
  if (tlsMode === undefined)
    throw new RangeError(`a URL whose ${parameters.mode} is one of ${Object.keys(modes).join(', ')}`)
  return {
    host,
    port: url.port === '' ? port : Number(url.port),
    user,
    password: url.password === '' ? null : decode(url.password),
    database,
    tls: {
      mode: tlsMode,
      caFile: given.get(parameters.ca),
      certFile: given.get(parameters.cert),
      keyFile: given.get(parameters.key),
    },
  }
}

function decoded(text: string, form: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    throw new RangeError(`a URL like ${form}; a % in user, password or database is written %25`, { cause: error })
  }
}
