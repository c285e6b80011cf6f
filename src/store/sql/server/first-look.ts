// The first look at a database, on a connection of its own: can it be reached, will it do, are the tables there. Everything that
// can be wrong with it is found there, before the service says that it is ready.

import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import type { Logger } from '../../../runtime/telemetry/logger.ts'
import { StoreError } from '../../store.ts'
import type { ServerFailures, Stage } from './failures/server-failures.ts'
import { migrate, schemaVersion } from './migrate.ts'
import type { Setup, StoreRow } from './migrate.ts'

/** How an engine does it. */
export type FirstLook<Client, Found> = {
  readonly location: ServerLocation
  readonly failures: ServerFailures
  /** Who is to write may make a database that is not there. */
  readonly open: (effect: 'read' | 'write') => Promise<Client>
  readonly close: (client: Client) => unknown
  readonly check: (client: Client) => Promise<Checked<Found>>
  readonly setupOn: (client: Client) => Setup
}

export type Checked<Found> = {
  /** Why the server will not do; null if it will. */
  readonly problem: string | null
  /** Settings that could break a promise. */
  readonly warnings: readonly string[]
  /** What the engine wants to know of the server. */
  readonly found: Found
}

type PreparedDatabase<Found> = { readonly row: StoreRow; readonly found: Found }

/** `shards` is for a database that has no tables yet. */
export function prepareDatabase<Client, Found>(
  look: FirstLook<Client, Found>,
  shards: number,
  logger: Logger | null,
): Promise<PreparedDatabase<Found>> {
  return onFirstConnection(look, 'write', async (client) => {
    const { warnings, found } = await checked(look, client)
    for (const text of warnings) logger?.warn(text)
    return { row: await migrate(look.setupOn(client), shards), found }
  })
}

/** Changes nothing, and does not wait for a node that migrates. */
export function schemaState<Client>(
  look: FirstLook<Client, unknown>,
): Promise<{ readonly found: number; readonly known: number }> {
  return onFirstConnection(look, 'read', async (client) => {
    await checked(look, client)
    const setup = look.setupOn(client)
    return { found: await schemaVersion(setup), known: setup.steps.length }
  })
}

async function checked<Client, Found>(look: FirstLook<Client, Found>, client: Client): Promise<Checked<Found>> {
  const found = await look.check(client)
  if (found.problem !== null) throw StoreError.lasting(found.problem)
  return found
}

async function onFirstConnection<Client, T>(
  { location, failures, open, close }: FirstLook<Client, unknown>,
  effect: 'read' | 'write',
  work: (client: Client) => Promise<T>,
): Promise<T> {
  let stage: Stage = 'connect'
  try {
    const client = await open(effect)
    stage = 'migrate'
    try {
      return await work(client)
    } finally {
      await close(client)
    }
  } catch (error) {
    throw failures.failureOf(error, { location, stage, effect })
  }
}

/** Null: it will do. `oldest` is what it has to be at least. */
export function versionProblem(server: string, version: string, oldest: readonly number[]): string | null {
  const numbers = version.split('.').map((part) => Number.parseInt(part, 10))
  const at = oldest.findIndex((number, index) => numbers[index] !== number)
  if (at === -1 || numbers[at]! > oldest[at]!) return null
  return `the server is ${server} ${version}: version ${oldest.join('.')} or newer is needed`
}
