// Servers of the comparison's own, on loopback, with durable settings: what is acknowledged is on the disk.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { missingServer, startServer } from '../../scripts/servers/servers.ts'
import { DuetimeServer } from '../harness/duetime-server.ts'
import { killLater } from '../harness/own-processes.ts'
import { cpuMs, residentBytes, treeCpuMs } from '../harness/process-usage.ts'
import { BenchPostgres } from '../harness/postgres.ts'
import type { Settings } from './system.ts'

/** A database for one run of one system. */
export type Database = {
  readonly url: string
  /** CPU time so far of the processes behind it; the program's own is not part of it. */
  cpuMs(): number
  diskBytes(): Promise<number>
  residentBytes(): number
  /** Goes away, with everything in it. */
  drop(): Promise<void>
}

export type Place = { open(settings: Settings): Promise<Database>; stop(): Promise<void> }

/** Redis with `appendfsync always`, a new server for each run. */
export function redisPlace(): Place {
  return { open: (settings) => startRedis(settings), stop: () => Promise.resolve() }
}

async function startRedis(settings: Settings): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'duetime-redis-'))
  const port = await freePort()
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  // Redis looks for what is due so often in a second.
  const tuned = settings === 'tuned' ? ['--hz', '500'] : []
  const child = spawn(
    'redis-server',
    [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      directory,
      '--maxmemory-policy',
      'noeviction',
      ...durable,
      ...tuned,
    ],
    { stdio: 'ignore' },
  )
  killLater(child)
  await Promise.race([redisAnswers(port), failedStart(child)])
  return {
    url: `redis://127.0.0.1:${port}`,
    cpuMs: () => cpuMs(child.pid!),
    diskBytes: () => Promise.resolve(bytesUnder(directory)),
    residentBytes: () => residentBytes(child.pid!),
    async drop() {
      await stopped(child)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function failedStart(child: ChildProcess): Promise<never> {
  const [error] = (await Promise.race([once(child, 'error'), once(child, 'exit')])) as [unknown]
  throw new Error(
    `redis-server does not start (${String(error)}): apt-get install --no-install-recommends redis-server`,
  )
}

async function redisAnswers(port: number): Promise<void> {
  const redis = new Redis({ host: '127.0.0.1', port, lazyConnect: true, retryStrategy: () => 50 })
  redis.on('error', () => {})
  await redis.ping()
  redis.disconnect()
}

/** One PostgreSQL for all that use it; a new database for each run. */
export async function postgresPlace(log: (text: string) => void): Promise<Place & { readonly server: BenchPostgres }> {
  const server = await BenchPostgres.start(log)
  return {
    server,
    async open() {
      const database = await server.empty()
      const before = server.cpuMs()
      return {
        url: database.url,
        cpuMs: () => server.cpuMs() - before,
        diskBytes: () => database.bytes(),
        residentBytes: () => 0,
        drop: () => Promise.resolve(),
      }
    },
    stop: () => server.stop(),
  }
}

/** A new server for each run; null where it is not installed. */
export function mariadbPlace(): Place | null {
  if (missingServer('mariadb') !== false) return null
  return {
    async open() {
      const server = await startServer('mariadb')
      return {
        url: server.url(),
        cpuMs: () => server.pids.reduce((sum, pid) => sum + treeCpuMs(pid), 0),
        // Its log of changes has a fixed size.
        diskBytes: () => Promise.resolve(bytesUnder(join(server.directory, 'data', 'duetime'))),
        residentBytes: () => 0,
        drop: () => server.stop(),
      }
    },
    stop: () => Promise.resolve(),
  }
}

export function sqlitePlace(): Place {
  return {
    open() {
      const directory = mkdtempSync(join(tmpdir(), 'duetime-peers-'))
      return Promise.resolve({
        url: join(directory, 'timers.db'),
        cpuMs: () => 0,
        diskBytes: () => Promise.resolve(bytesUnder(directory)),
        residentBytes: () => 0,
        drop: () => Promise.resolve(rmSync(directory, { recursive: true, force: true })),
      })
    },
    stop: () => Promise.resolve(),
  }
}

/** The service as a process of its own on a database of another place. */
export function servicePlace(inner: Place): Place {
  return {
    async open(settings) {
      const database = await inner.open(settings)
      const isFile = !database.url.includes('://')
      const server = await DuetimeServer.start(isFile ? { databasePath: database.url } : { databaseUrl: database.url })
      return {
        url: server.url,
        cpuMs: () => server.cpuMs() + database.cpuMs(),
        diskBytes: () => database.diskBytes(),
        residentBytes: () => server.residentBytes(),
        async drop() {
          await server.stop()
          await database.drop()
        },
      }
    },
    stop: () => Promise.resolve(),
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await Promise.race([exited, sleep(5_000).then(() => child.kill('SIGKILL'))])
}

function bytesUnder(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
