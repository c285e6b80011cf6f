// Every engine that can be measured on this machine: those that need no server, PostgreSQL, and the servers that are
// installed (scripts/servers). Each start is a server of its own with an empty database.

import { SERVERS, startServer } from '../../scripts/servers/servers.ts'
import type { ServerName } from '../../scripts/servers/servers.ts'
import type { Bench } from './bench.ts'
import { treeCpuMs } from './process-usage.ts'

/** `name` is for whoever chooses, `title` for whoever reads. */
export type Engine = {
  readonly name: string
  readonly title: string
  readonly start: (bench: Bench) => Promise<RunningEngine>
  /** The server is so slow that many timers are stored past the service. */
  readonly isPreloaded?: boolean
}
/** `env`: what a service on it needs besides the URL. `cpuMs`: of the server so far; null where it is part of the service's process. */
export type RunningEngine = {
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  readonly cpuMs: (() => number) | null
}

// As the pages in docs/operations say, for a million timers and more.
process.env['SERVER_SIZE'] = 'large'
// DynamoDB Local does not keep what it has acknowledged anyway, and its disk would be all that is measured.
process.env['DYNAMODB_LOCAL_IN_MEMORY'] = 'true'

const PRELOADED: readonly string[] = ['dynamodb', 'ferretdb'] // they store 300 and 1,100 timers a second

const sqlite: Engine = {
  name: 'sqlite',
  title: 'SQLite',
  start: async (bench) => ({ url: `sqlite:${await bench.database(0)}`, env: {}, cpuMs: null }),
}

const postgres: Engine = {
  name: 'postgres',
  title: 'PostgreSQL',
  start: async (bench) => {
    const server = await bench.postgres()
    return { url: (await server.database()).url, env: {}, cpuMs: () => server.cpuMs() }
  },
}

/** Those that are not installed are told by their names. */
export function engines(): { readonly here: readonly Engine[]; readonly missing: readonly string[] } {
  // Several nodes on one machine would measure the machine.
  const kinds = SERVERS.filter(({ name }) => name !== 'cassandra-3')
  const installed = kinds.filter((kind) => kind.isInstalled())
  const missing = kinds.filter((kind) => !kind.isInstalled())
  const servers = installed.map(({ name, title }) => ({
    name,
    title,
    isPreloaded: PRELOADED.includes(name),
    start: async (bench: Bench) => {
      const server = bench.stopLater(await startServer(name as ServerName))
      const cpuMs = () => server.pids.reduce((sum, pid) => sum + treeCpuMs(pid), 0)
      return { url: server.url(), env: server.environment(), cpuMs }
    },
  }))
  return { here: [sqlite, postgres, ...servers], missing: missing.map(({ title }) => title) }
}
