// `duetime migrate`: for those who change databases in a step of their own, with rights that the service need not have.

import { loadConfig } from '../../runtime/config/config.ts'
import { createLogger } from '../../runtime/telemetry/logger.ts'
import { schemaState } from '../../store/schema-state.ts'
import type { SchemaState } from '../../store/schema-state.ts'
import { CommandFailed } from '../command/command-failed.ts'
import type { Flags } from '../command/given-flags.ts'

export async function runMigrateStatus(flags: Flags): Promise<void> {
  const { database } = loadConfig({ flags })
  const state = await schemaState(database)
  process.stdout.write(`${sentence(state)}\n`)
  if (state !== null && state.found !== state.known) throw new CommandFailed()
}

export async function runMigrateUp(flags: Flags): Promise<void> {
  const config = loadConfig({ flags })
  const before = await schemaState(config.database)
  if (before === null || before.found === before.known) {
    process.stdout.write(`${sentence(before)} There is nothing to do.\n`)
    return
  }
  // Loaded when it is needed, so that --help does not wait for it.
  const { openStore } = await import('../../store/open-store.ts')
  const store = await openStore({ ...config, migrateAtStart: true }, createLogger(config))
  await store.close()
  const made = before.found === 0 ? 'The tables were made' : `The database had schema version ${before.found}`
  process.stdout.write(`${made}. ${sentence(await schemaState(config.database))}\n`)
}

/** A step down would have to drop what new timers need, so there is none: what can be done instead depends on the older program. */
export async function runMigrateDown(flags: Flags): Promise<void> {
  const { database } = loadConfig({ flags })
  const state = await schemaState(database)
  if (state === null) {
    process.stdout.write(
      'There is nothing to migrate in this kind of database: install the older version and start it.\n',
    )
    return
  }
  process.stdout.write(`${downWords(state)}\n`)
  throw new CommandFailed()
}

function downWords({ found }: SchemaState): string {
  return `The database has schema version ${found}, and nothing was changed: a step down would drop what timers need.
To go back to an older version of the program, run \`duetime migrate status\` with that version:
  if it is satisfied, start it: both have the same schema;
  if not, restore the backup of before the upgrade, or carry the timers over: \`duetime export\` with this version,
  then \`duetime import\` with the older one into an empty database.
More is in docs/operations/upgrading.md of the repository.`
}

function sentence(state: SchemaState | null): string {
  if (state === null)
    return 'There is nothing to migrate in this kind of database: the first start makes what it needs.'
  const { found, known } = state
  if (found === known) return `The schema is up to date: version ${known}.`
  const has =
    found === 0 ? 'The database has no tables of this service yet' : `The database has schema version ${found}`
  return `${has}, and this program needs ${known}: run \`duetime migrate up\`.`
}
