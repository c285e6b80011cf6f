// Where a Cassandra or ScyllaDB keyspace is, from a URL: cassandra://user:password@host,host:port/keyspace. Nodes of the
// database other than the named ones are found through them, and are reached by the port of the first.

export type CassandraLocation = {
  /** Each with its port. */
  readonly hosts: readonly string[]
  readonly port: number
  readonly keyspace: string
  readonly user: string | null
  readonly password: string
  /** Null: that of the first host that answers. */
  readonly dataCenter: string | null
  /** `quorum`: of all data centres together. */
  readonly consistency: CassandraConsistency
  /** Null: not encrypted. */
  readonly tls: CassandraTls | null
}
export type CassandraTls = {
  readonly caFile: string | null
  readonly certFile: string | null
  readonly keyFile: string | null
}

const CONSISTENCIES = ['local_quorum', 'quorum'] as const
export type CassandraConsistency = (typeof CONSISTENCIES)[number]

const FORM = 'cassandra://user:password@host,host/keyspace'
const PARAMETERS = ['datacenter', 'consistency', 'ssl', 'sslrootcert', 'sslcert', 'sslkey']
const PORT = 9042

/** Throws a RangeError that says what is right, without repeating what was given. */
export function parseCassandraUrl(text: string): CassandraLocation {
  // Several hosts, each with a port, are more than the URL standard knows.
  const parts = /^cassandra:\/\/(?:([^@/]*)@)?([^@/?]+)\/([^/?]*)(?:\?(.*))?$/i.exec(text)
  if (parts === null) throw new RangeError(`a URL with hosts and a keyspace: ${FORM}`)
  const [, credentials, hosts = '', keyspace = '', query] = parts
  if (!/^[a-z][a-z0-9_]{0,47}$/.test(keyspace))
    throw new RangeError(`a URL with a keyspace of up to 48 small letters, digits and _ after the hosts: ${FORM}`)
  const parameters = new URLSearchParams(query)
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined)
    throw new RangeError(`a URL with no parameter but ${PARAMETERS.join(', ')}; \`${unknown}\` is not known`)
  const [user = '', password = ''] = (credentials ?? '').split(/:(.*)/s)
  const addresses = hosts.split(',').map(addressOf)
  return {
    hosts: addresses.map(({ host, port }) => `${host}:${port}`),
    port: addresses[0]!.port,
    keyspace,
    user: user === '' ? null : decoded(user),
    password: decoded(password),
    dataCenter: parameters.get('datacenter'),
    consistency: consistencyOf(parameters.get('consistency')),
    tls: tlsOf(parameters),
  }
}

function addressOf(text: string): { readonly host: string; readonly port: number } {
  const [, host, digits] = /^(\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text) ?? []
  const port = digits === undefined ? PORT : Number(digits)
  if (host === undefined || port < 1 || port > 65_535)
    throw new RangeError(`a URL with hosts, each with a port or without one, separated by commas: ${FORM}`)
  return { host, port }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new RangeError('a URL whose user and password are percent-encoded')
  }
}

function consistencyOf(text: string | null): CassandraConsistency {
  const known = CONSISTENCIES.find((one) => one === (text ?? 'local_quorum'))
  if (known === undefined) throw new RangeError(`a URL whose consistency is one of ${CONSISTENCIES.join(', ')}`)
  return known
}

function tlsOf(parameters: URLSearchParams): CassandraTls | null {
  const ssl = parameters.get('ssl')
  const [caFile, certFile, keyFile] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => parameters.get(name)) as [
    string | null,
    string | null,
    string | null,
  ]
  if (ssl !== null && !['true', 'false'].includes(ssl)) throw new RangeError('a URL whose ssl is true or false')
  const isWanted = ssl === 'true' || [caFile, certFile, keyFile].some((file) => file !== null)
  if (isWanted && ssl === 'false') throw new RangeError('a URL without certificates where ssl is false')
  if ((certFile === null) !== (keyFile === null)) throw new RangeError('a URL with both sslcert and sslkey, or neither')
  return isWanted ? { caFile, certFile, keyFile } : null
}
