// Reads the settings, once, at the start: flags before environment (and `.env`) before defaults. Everything that is wrong is
// reported together, each with what was given, where, and what is right. Nothing else reads process.env.

import { brokerConflicts, brokerSettings } from './broker.ts'
import type { BrokerSettings, BrokerValues } from './broker.ts'
import { ANY_ORIGIN } from './origin.ts'
import { isLoopback } from './places.ts'
import type { DatabaseLocation } from './databases/databases.ts'
import { nearestName } from './nearest.ts'
import { databaseConflicts, databaseLocation } from './server-variables.ts'
import type { ServerValues } from './server-variables.ts'
import { SETTINGS } from './schema.ts'
import type { Setting, SettingValues } from './schema.ts'
import { placeOf } from './env-file.ts'

export type Config = Omit<
  SettingValues,
  'host' | 'bodyMaxBytes' | 'databaseUrl' | 'timerDbPath' | keyof BrokerValues | keyof ServerValues
> & {
  readonly database: DatabaseLocation
  /** Null: there is none. */
  readonly broker: BrokerSettings | null
  readonly host: string
  readonly bodyMaxBytes: number
  /** Whoever comes needs a key. */
  readonly keysNeeded: boolean
  /** Only this machine can reach the service, so callbacks may reach this machine. */
  readonly loopbackOnly: boolean
}

export type ConfigSources = {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** By the flag's name without dashes: `{ 'log-level': 'debug' }`. */
  readonly flags?: Readonly<Record<string, string | undefined>>
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** One line each, in the order of the schema. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`
    super(`${count} wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** Throws a ConfigError that names every problem. Variables of the environment that are not settings are nobody's business. */
export function loadConfig({ env = process.env, flags = {} }: ConfigSources = {}): Config {
  const problems: string[] = []
  const given = new Map<string, string>()
  const read: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const source = findSource(setting, { env, flags })
    if (source !== null) given.set(key, source.shown)
    read[key] = source === null ? defaultOf(setting) : parse(setting, source, problems)
  }
  const values = read as SettingValues
  problems.push(
    ...conflicts(values, given),
    ...databaseConflicts(values, given),
    ...brokerConflicts(values, given),
    ...unknownFlags(flags),
  )
  if (problems.length > 0) throw new ConfigError(problems)

  const { databaseUrl: _url, timerDbPath: _path, pgPassword: _pg, mysqlPassword: _mysql, ...rest } = values
  const database = databaseLocation(values)
  const keysNeeded = values.apiKey !== null || values.keysFile !== null
  const host = values.host ?? (keysNeeded ? EVERY_ADDRESS : THIS_MACHINE)
  const bodyMaxBytes = values.bodyMaxBytes ?? Math.max(BODY_BYTES_DEFAULT_MIN, 2 * values.payloadMaxBytes)
  // What may come alone may come in a batch.
  const batchBodyMaxBytes = Math.max(values.batchBodyMaxBytes, bodyMaxBytes)
  return Object.freeze({
    ...rest,
    bodyMaxBytes,
    batchBodyMaxBytes,
    host,
    keysNeeded,
    database,
    broker: brokerSettings(values),
    loopbackOnly: isLoopback(host),
  })
}

const BODY_BYTES_DEFAULT_MIN = 64 * 1_024 // room for headers and metadata where payloads are small
const EVERY_ADDRESS = '0.0.0.0'
const THIS_MACHINE = '127.0.0.1'

type Source = { readonly text: string; readonly shown: string }

/** An empty variable counts as unset: that is how compose files and shells write "nothing". An empty flag was typed on purpose. */
function findSource(setting: Setting<unknown>, { env, flags }: Required<ConfigSources>): Source | null {
  const flag = flags[setting.flag]
  if (flag !== undefined) return { text: flag, shown: `--${setting.flag}=${shown(setting, flag)} (flag)` }
  for (const name of [setting.env, ...(setting.alias === null ? [] : [setting.alias])]) {
    const variable = env[name]?.trim()
    if (variable !== undefined && variable !== '')
      return { text: variable, shown: `${name}=${shown(setting, variable)} (${placeOf(name)})` }
  }
  return null
}

const SHOWN_CHARS_MAX = 80

function shown(setting: Setting<unknown>, text: string): string {
  if (setting.secret) return '***'
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text
}

function defaultOf(setting: Setting<unknown>): unknown {
  return setting.default === null ? null : setting.type.parse(setting.default)
}

/** A refused value counts as the default from here on, so that the rules about several settings can still be checked. */
function parse(setting: Setting<unknown>, source: Source, problems: string[]): unknown {
  try {
    return setting.type.parse(source.text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    problems.push(`${source.shown}: must be ${error.message}.`)
    return defaultOf(setting)
  }
}

/** Settings that are right by themselves and wrong together. `given` says how those that are not defaults were written. */
function conflicts(values: SettingValues, given: ReadonlyMap<string, string>): string[] {
  const problems: string[] = []
  const keysNeeded = given.has('apiKey') || given.has('keysFile')
  if (values.host !== null && !isLoopback(values.host) && !keysNeeded && !values.allowAnonymous) {
    problems.push(
      `${given.get('host')}: lets other machines in while no API key is configured. Set API_KEY or KEYS_FILE, ` +
        `leave HOST at ${THIS_MACHINE}, ` +
        'or set ALLOW_ANONYMOUS=true if everyone who can reach the port may use the service.',
    )
  }
  if (values.bodyMaxBytes !== null && values.bodyMaxBytes < values.payloadMaxBytes) {
    const sources = [given.get('bodyMaxBytes'), given.get('payloadMaxBytes')]
      .filter((one) => one !== undefined)
      .join(' and ')
    problems.push(
      `${sources}: BODY_MAX_BYTES (${values.bodyMaxBytes} bytes) must not be smaller than PAYLOAD_MAX_BYTES ` +
        `(${values.payloadMaxBytes} bytes), or the largest payload could never be sent.`,
    )
  }
  if (values.corsOrigins.includes(ANY_ORIGIN) && !keysNeeded) {
    problems.push(
      `${given.get('corsOrigins')}: lets every page on the web that somebody here looks at read and change all timers, through that person's browser. ` +
        'Name the origins, or set API_KEY or KEYS_FILE.',
    )
  }
  if (values.natsLifecycle.length > 0 && brokerSettings(values) === null) {
    problems.push(
      `${given.get('natsLifecycle')}: asks for events, and nothing says where NATS is. Set NATS_URL or NATS_HOST.`,
    )
  }
  return problems
}

function unknownFlags(flags: Required<ConfigSources>['flags']): string[] {
  const known = Object.values<Setting<unknown>>(SETTINGS).map((setting) => setting.flag)
  const unknown = Object.keys(flags).filter((flag) => flags[flag] !== undefined && !known.includes(flag))
  return unknown.map((flag) => {
    const nearest = nearestName(flag, known)
    return `--${flag} (flag): no such flag. ${nearest === null ? '`duetime serve --help` lists them all.' : `Did you mean --${nearest}?`}`
  })
}
