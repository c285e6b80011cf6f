// What the commands that work on the service itself do. Each is loaded when it is asked for: `duetime --help` and the
// commands that talk to a server wait neither for the engine nor for the drivers of databases and brokers.

import type { Actions } from '../program.ts'

export const actions: Actions = {
  serve: async (flags) => (await import('../serve.ts')).runServe(flags),
  backup: async (options) => (await import('../transfer/backup.ts')).runBackup(options),
  migrateStatus: async (flags) => (await import('../migrate/migrate.ts')).runMigrateStatus(flags),
  migrateUp: async (flags) => (await import('../migrate/migrate.ts')).runMigrateUp(flags),
  migrateDown: async (flags) => (await import('../migrate/migrate.ts')).runMigrateDown(flags),
  shards: async (options) => (await import('../shards/shards.ts')).runShards(options),
  pin: async (options) => (await import('../shards/shards.ts')).runPin(options),
  reshard: async (options) => (await import('../shards/shards.ts')).runReshard(options),
  export: async (options) => (await import('../transfer/transfer.ts')).runExport(options),
  import: async (options) => (await import('../transfer/transfer.ts')).runImport(options),
}
