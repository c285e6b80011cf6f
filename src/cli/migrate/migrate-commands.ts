// `duetime migrate status`, `up` and `down`, and how their flags are read.

import type { Command } from 'commander'
import { addSettings, givenFlags } from '../command/given-flags.ts'
import type { Flags } from '../command/given-flags.ts'

export type MigrateActions = {
  readonly migrateStatus: (flags: Flags) => Promise<void>
  readonly migrateUp: (flags: Flags) => Promise<void>
  readonly migrateDown: (flags: Flags) => Promise<void>
}

/** What says where the database is and how to reach it; the number of shards, since `up` may be its first use. */
const FLAGS = ['database-url', 'timer-db-path', 'shards']
const GROUP = 'PostgreSQL'

export function addMigrateCommands(program: Command, actions: MigrateActions): void {
  const migrate = program
    .command('migrate')
    .description('look at the schema of the database, or bring it up to date')
    .addHelpText('after', HELP)
  const status = migrate
    .command('status')
    .description(
      'which schema version the database has, and which one this program needs; exits with 1 when they differ',
    )
  const up = migrate.command('up').description('take the steps that are missing; a service may run meanwhile')
  const down = migrate
    .command('down')
    .description('changes nothing: says how to go back to an older version, and exits with 1 if that needs a backup')
  for (const command of [status, up, down])
    addSettings(command, ({ flag, group }) => FLAGS.includes(flag) || group === GROUP)
  status.action(() => actions.migrateStatus(givenFlags(status)))
  up.action(() => actions.migrateUp(givenFlags(up)))
  down.action(() => actions.migrateDown(givenFlags(down)))
}

const HELP = `
The service takes these steps itself when it starts, unless MIGRATE_AT_START is false.

Examples:
  duetime migrate status --database-url postgres://duetime@db.internal/duetime
  duetime migrate up
`
