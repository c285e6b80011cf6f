// Every server that tests and people can start by name: fetched or built once, kept in a cache, started on loopback on a free
// port with data of its own. Tests take `startServer`; people have the commands in main.ts.

import { cassandra, cassandra3 } from './engines/cassandra.ts'
import { dynamodb } from './engines/dynamodb.ts'
import { ferretdb } from './engines/ferretdb.ts'
import { mariadb, mariadb118 } from './engines/mariadb.ts'
import { mysql } from './engines/mysql.ts'
import { tidb } from './engines/tidb.ts'
import { programPath } from './install/command.ts'
import type { ServerKind } from './server-kind.ts'
import { ServerRun } from './server-run.ts'

export const SERVERS: readonly ServerKind[] = [
  mariadb,
  mariadb118,
  mysql,
  tidb,
  cassandra,
  cassandra3,
  dynamodb,
  ferretdb,
]

export type ServerName =
  | 'mariadb'
  | 'mariadb-11.8'
  | 'mysql'
  | 'tidb'
  | 'cassandra'
  | 'cassandra-3'
  | 'dynamodb'
  | 'ferretdb'

export class RunningServer {
  readonly #kind: ServerKind
  readonly #run: ServerRun

  constructor(kind: ServerKind, run: ServerRun) {
    this.#kind = kind
    this.#run = run
  }

  get name(): string {
    return this.#kind.name
  }

  /** As DATABASE_URL. Databases other than `duetime` are for the caller to make, where the server needs that. */
  url(database = 'duetime', port = this.port): string {
    return this.#kind.url(port, database)
  }

  get port(): number {
    return this.#run.knownPort()
  }

  get pids(): readonly number[] {
    return this.#run.pids
  }

  /** With its data, and its log. */
  get directory(): string {
    return this.#run.directory
  }

  /** What a service that uses it needs in its environment. `port`: of a proxy before it. */
  environment(database?: string, port?: number): Readonly<Record<string, string>> {
    return { ...this.#kind.environment, DATABASE_URL: this.url(database, port) }
  }

  /** As an administrator stops it. The data stay. */
  async pause(): Promise<void> {
    await this.#run.end('SIGTERM')
  }

  /** As a power failure would, as far as a process can tell. The data stay. */
  async kill(): Promise<void> {
    await this.#run.end('SIGKILL')
  }

  /** On the same port, with the same data; also after `pause` and `kill`. */
  async restart(): Promise<void> {
    await this.#run.end('SIGTERM')
    await this.#kind.start(this.#run)
  }

  /** The address of each of its nodes, which is the name of its process where there are several. */
  get nodes(): readonly string[] {
    return this.#kind.nodes ?? ['127.0.0.1']
  }

  /** One of its nodes alone. The data stay. */
  async endOne(node: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#run.endOne(node, signal)
  }

  /** The process does not go on until it is told to. */
  freezeOne(node: string, isFrozen: boolean): void {
    this.#run.signal(node, isFrozen ? 'SIGSTOP' : 'SIGCONT')
  }

  /** What was ended alone. */
  async startMissing(): Promise<void> {
    await this.#kind.start(this.#run)
  }

  /** The data go with it. */
  async stop(): Promise<void> {
    await this.#run.stop()
  }
}

export async function startServer(name: ServerName): Promise<RunningServer> {
  const kind = serverNamed(name)
  if (!kind.isInstalled()) throw new Error(missingText(kind))
  const run = new ServerRun()
  try {
    await kind.start(run)
    return new RunningServer(kind, run)
  } catch (error) {
    await run.stop()
    throw error
  }
}

/** For the `skip` option of a test: what to run where the server is missing, and false where it is there. */
export function missingServer(name: ServerName): string | false {
  const kind = serverNamed(name)
  return kind.isInstalled() ? false : missingText(kind)
}

/** Fetches or builds it unless it is there already. */
export async function installServer(kind: ServerKind): Promise<void> {
  if (kind.isInstalled()) return
  const missing = missingPrograms(kind)
  if (missing.length > 0) throw new Error(`${kind.title} needs ${missing.join(' and ')} on this machine`)
  await kind.install()
}

/** What the installation needs and the machine has not. */
function missingPrograms({ needs }: ServerKind): string[] {
  return needs.filter((program) => programPath(program) === null)
}

export function serverNamed(name: string): ServerKind {
  const kind = SERVERS.find((one) => one.name === name)
  if (kind === undefined)
    throw new Error(`there is no server named ${name}; these are there: ${SERVERS.map((one) => one.name).join(', ')}`)
  return kind
}

function missingText({ name, title }: ServerKind): string {
  return `${title} is not here: node scripts/servers/main.ts install ${name}`
}
