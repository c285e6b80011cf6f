// The keys file: a JSON array with one entry for each key. Read strictly, since a mistake here gives or denies access:
// everything that is wrong is reported at once, with the entry it is in.

import { parseNamespacePattern, Permission } from '../../core/access/access.ts'
import type { NamespacePattern, Principal, RateLimit } from '../../core/access/access.ts'
import { DuetimeError } from '../../core/errors.ts'
import {
  KEYS_MAX,
  NAMESPACES_PER_KEY_MAX,
  RATE_PER_SECOND_MAX,
  RATE_PER_SECOND_MIN,
  SUBJECTS_PER_KEY_MAX,
} from '../../core/limits.ts'
import { subjectPatternFault, SubjectPatterns } from '../../core/timer/subject.ts'
import { KEY_HASH } from './api-key.ts'

export type KeyEntry = { readonly hash: string; readonly principal: Principal }

/** As it is written in the file. */
export type KeyEntryJson = {
  readonly name: string
  readonly hash: string
  readonly permissions: readonly Permission[]
  readonly namespaces: readonly string[]
  readonly rateLimit?: RateLimit
  readonly natsSubjects?: readonly string[]
}

export class KeysFileError extends Error {
  override readonly name = 'KeysFileError'
  readonly problems: readonly string[]

  constructor(path: string, problems: readonly string[], options?: ErrorOptions) {
    super(`The keys file ${path} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`, options)
    this.problems = problems
  }
}

/** Throws a KeysFileError that names every problem. */
export function parseKeyEntries(text: string, path: string): readonly KeyEntry[] {
  const problems: string[] = []
  const entries = entriesOf(text, problems).map((value, index) => readEntry(value, index, problems))
  const read = entries.filter((entry) => entry !== null)
  problems.push(
    ...repeated(
      read.map(({ principal }) => principal.name),
      'name',
    ),
    ...repeated(
      read.map(({ hash }) => hash),
      'hash',
    ),
  )
  if (problems.length > 0) throw new KeysFileError(path, problems)
  return read
}

function entriesOf(text: string, problems: string[]): readonly unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    problems.push(`it is not JSON: ${(error as Error).message}`)
    return []
  }
  if (Array.isArray(value) && value.length <= KEYS_MAX) return value
  const isTooLong = Array.isArray(value)
  problems.push(
    isTooLong
      ? `it has more than ${KEYS_MAX} keys`
      : 'it must be a JSON array of keys; `duetime keys create --file` makes one',
  )
  return []
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/
/** Those who come without a key, and the key that is a setting. */
const TAKEN_NAMES = ['anonymous', 'nobody', 'default']
const FIELDS = ['name', 'hash', 'permissions', 'namespaces', 'rateLimit', 'natsSubjects']

function readEntry(value: unknown, index: number, problems: string[]): KeyEntry | null {
  if (!isObject(value)) {
    problems.push(`entry ${index + 1}: must be an object with ${FIELDS.join(', ')}`)
    return null
  }
  const { name, hash } = value
  const hasName = typeof name === 'string' && NAME.test(name) && !TAKEN_NAMES.includes(name)
  const label = hasName ? `entry ${index + 1} (${name})` : `entry ${index + 1}`
  const before = problems.length
  const wrong = (message: string) => problems.push(`${label}: ${message}`)
  if (!hasName)
    wrong(`name must be 1 to 100 letters, digits, '.', '-', '_' or '@', and none of ${TAKEN_NAMES.join(', ')}`)
  const hasHash = typeof hash === 'string' && KEY_HASH.test(hash)
  if (!hasHash) wrong('hash must be sha256: and 64 hex digits; `duetime keys hash` prints it for a key')
  const unknown = Object.keys(value).filter((field) => !FIELDS.includes(field))
  for (const field of unknown) wrong(`${field} is not a field of a key; there are ${FIELDS.join(', ')}`)
  const permissions = readPermissions(value['permissions'], wrong)
  const namespaces = readNamespaces(value['namespaces'], wrong)
  const rateLimit = value['rateLimit'] === undefined ? null : readRateLimit(value['rateLimit'], wrong)
  const natsSubjects =
    value['natsSubjects'] === undefined ? {} : { natsSubjects: readSubjects(value['natsSubjects'], wrong) }
  if (permissions.has(Permission.admin) && namespaces !== null)
    wrong('admin is for the whole service: its namespaces must be ["*"]')
  const isGood = hasName && hasHash && problems.length === before
  return isGood ? { hash, principal: { name, permissions, namespaces, rateLimit, ...natsSubjects } } : null
}

type Wrong = (message: string) => void

function readPermissions(value: unknown, wrong: Wrong): ReadonlySet<Permission> {
  const known: readonly unknown[] = Object.values(Permission)
  if (Array.isArray(value) && value.length > 0 && value.every((one) => known.includes(one)))
    return new Set(value as Permission[])
  wrong(`permissions must be a list of ${known.join(', ')}`)
  return new Set()
}

function readNamespaces(value: unknown, wrong: Wrong): readonly NamespacePattern[] | null {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= NAMESPACES_PER_KEY_MAX
  if (!isList || !value.every((one) => typeof one === 'string')) {
    wrong(
      `namespaces must be a list of 1 to ${NAMESPACES_PER_KEY_MAX} namespaces, such as ["orders", "team-a.*"], or ["*"] for all`,
    )
    return []
  }
  try {
    const patterns = value.map((text) => parseNamespacePattern(text))
    return (patterns as string[]).includes('*') ? null : patterns
  } catch (error) {
    if (!(error instanceof DuetimeError)) throw error
    wrong(`${error.message.replace('namespace', 'each of namespaces')}; a star may be at its end`)
    return []
  }
}

/** An empty list allows no callback over NATS. */
function readSubjects(value: unknown, wrong: Wrong): SubjectPatterns {
  const isList =
    Array.isArray(value) && value.length <= SUBJECTS_PER_KEY_MAX && value.every((one) => typeof one === 'string')
  if (!isList)
    wrong(`natsSubjects must be a list of up to ${SUBJECTS_PER_KEY_MAX} subjects, such as ["orders.>", "*.audit"]`)
  const patterns: readonly string[] = isList ? value : []
  const faults = patterns.map(subjectPatternFault).filter((fault) => fault !== null)
  if (faults.length > 0) wrong(`each of natsSubjects ${faults[0]}`)
  return new SubjectPatterns(faults.length > 0 ? [] : patterns)
}

function readRateLimit(value: unknown, wrong: Wrong): RateLimit | null {
  const { perSecond, burst, ...others } = isObject(value) ? value : {}
  const isRate = typeof perSecond === 'number' && perSecond >= RATE_PER_SECOND_MIN && perSecond <= RATE_PER_SECOND_MAX
  if (isRate && Object.keys(others).length === 0) {
    if (burst === undefined) return { perSecond, burst: defaultBurst(perSecond) }
    if (typeof burst === 'number' && Number.isInteger(burst) && burst >= 1 && burst <= RATE_PER_SECOND_MAX)
      return { perSecond, burst }
  }
  wrong(
    `rateLimit must be {"perSecond": …, "burst": …}, each up to ${RATE_PER_SECOND_MAX}, burst a whole number; burst may be left out`,
  )
  return null
}

/** A second's worth. */
export function defaultBurst(perSecond: number): number {
  return Math.max(1, Math.ceil(perSecond))
}

function repeated(values: readonly string[], field: string): string[] {
  const twice = values.filter((value, index) => values.indexOf(value) !== index)
  return [...new Set(twice)].map((value) => `more than one entry has the ${field} ${value}`)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
