// Where a MongoDB database is, from a URL as its users know it: mongodb://user:password@host,host/database?options, or
// mongodb+srv://. The driver reads the options, TLS and credentials among them. Those that would weaken what the service
// promises are refused here, since it would have to overrule them.

export type MongodbLocation = {
  /** As it was given; it may hold a password. */
  readonly url: string
  readonly database: string
  /** Without credentials, for people. */
  readonly hosts: string
}

const FORM = 'mongodb://user:password@host/duetime'
// Reads come from the primary, and a write is acknowledged when a majority has it on disk.
const FIXED: Readonly<Record<string, string>> = {
  w: 'majority',
  journal: 'true',
  readconcernlevel: 'majority',
  readpreference: 'primary',
}

/** Throws a RangeError that says what is right. */
export function parseMongodbUrl(text: string): MongodbLocation {
  // Several hosts with ports are no URL by the standard.
  const parts = /^mongodb(?:\+srv)?:\/\/(?:[^@/?]*@)?([^@/?]+)\/([^/?]*)(?:\?(.*))?$/i.exec(text)
  if (parts === null) throw new RangeError(`a URL with host and database: ${FORM}`)
  const [, hosts, database, options = ''] = parts as unknown as [string, string, string, string?]
  if (!/^[^\s/\\."$*<>:|?%]{1,63}$/.test(database))
    throw new RangeError(`a URL with the name of a database after the host: ${FORM}`)
  for (const [name, value] of new URLSearchParams(options)) {
    const fixed = FIXED[name.toLowerCase()]
    if (fixed !== undefined && value.toLowerCase() !== fixed)
      throw new RangeError(`a URL whose ${name} is ${fixed}, or is left out: acknowledged timers depend on it`)
  }
  return { url: text, database, hosts }
}
