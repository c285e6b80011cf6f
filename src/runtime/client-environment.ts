// What the environment says to commands that are typed: which server, whose key, how the terminal shall look. The
// settings of the service itself are in config.ts.

export type ClientEnvironment = {
  readonly url: string | null
  readonly apiKey: string | null
  readonly namespace: string | null
  /** NO_COLOR is set, whatever its value, or the terminal cannot do it. */
  readonly colorless: boolean
  /** Whose clocks hang on the wall here. */
  readonly timeZone: string
}

export const CLIENT_VARIABLES = {
  url: 'DUETIME_URL',
  apiKey: 'DUETIME_API_KEY',
  namespace: 'DUETIME_NAMESPACE',
} as const

export function clientEnvironment(env: Readonly<Record<string, string | undefined>> = process.env): ClientEnvironment {
  /** An empty variable counts as unset, as everywhere. */
  const read = (name: string): string | null =>
    env[name] === undefined || env[name].trim() === '' ? null : env[name].trim()
  return {
    url: read(CLIENT_VARIABLES.url),
    apiKey: read(CLIENT_VARIABLES.apiKey),
    namespace: read(CLIENT_VARIABLES.namespace),
    colorless: read('NO_COLOR') !== null || env['TERM'] === 'dumb',
    timeZone: localTimeZone(),
  }
}

/** The names of all variables that are set: to find those that are nearly a setting. */
export function variableNames(env: Readonly<Record<string, string | undefined>> = process.env): readonly string[] {
  return Object.keys(env)
}

/** A TZ that means nothing to the system gives a zone that is none. */
function localTimeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return timeZone === undefined || timeZone === 'Etc/Unknown' ? 'UTC' : timeZone
}
