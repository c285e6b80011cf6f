// FerretDB, which speaks as MongoDB does, on PostgreSQL with DocumentDB. A real mongod is in no package registry. What holds
// here was not shown on MongoDB itself.

import { chownSync, mkdirSync, readdirSync, rmSync, symlinkSync, appendFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { answersTo } from '../answers.ts'
import { cached, fillCache, isCached } from '../cache.ts'
import { command } from '../install/command.ts'
import { unpackPackages } from '../install/debian-packages.ts'
import { buildGoProgram } from '../install/go-build.ts'
import type { ServerKind } from '../server-kind.ts'
import type { ServerRun } from '../server-run.ts'

const VERSION = '2.7.0'
const FERRET = `ferretdb-${VERSION}`
const POSTGRES = 'postgresql-documentdb-sid'
const PROGRAMS = 'usr/lib/postgresql/18'
const LIBRARIES = 'usr/lib/x86_64-linux-gnu'
const NOBODY = 65_534 // PostgreSQL refuses to run as root, and this user is on every machine

const GO_MOD = `module local/ferretdb
go 1.24
require github.com/FerretDB/FerretDB/v2 v${VERSION}
`

export const ferretdb: ServerKind = {
  name: 'ferretdb',
  title: `FerretDB ${VERSION} on PostgreSQL 18 with DocumentDB`,
  needs: ['apt-get', 'dpkg-deb', 'go'],
  cost: '250 MB and 80 seconds of CPU time',
  inEveryRun: true,
  isInstalled: () => isCached(FERRET) && isCached(POSTGRES),
  install: async () => {
    await fillCache(POSTGRES, unpackPostgres)
    await fillCache(FERRET, (directory) =>
      buildGoProgram(directory, {
        goMod: GO_MOD,
        importPath: 'github.com/FerretDB/FerretDB/v2/cmd/ferretdb',
        binary: 'ferretdb',
        toolchain: null,
      }),
    )
  },
  start: async (run) => {
    const postgres = await startPostgres(run)
    const port = await run.port()
    const args = [
      ...[`--postgresql-url=${postgres}`, `--listen-addr=127.0.0.1:${port}`, '--debug-addr=-', '--telemetry=disable'],
      ...['--no-auth', `--state-dir=${run.path('state')}`],
    ]
    await run.launch({ command: cached(FERRET, 'ferretdb'), args }, () => answersTo(port, HELLO, () => true))
  },
  url: (port, database) => `mongodb://127.0.0.1:${port}/${database}?directConnection=true`,
}

async function unpackPostgres(directory: string): Promise<void> {
  await unpackPackages(directory, cached(POSTGRES), {
    release: 'sid',
    packages: ['postgresql-18-documentdb'],
    programs: [`${PROGRAMS}/bin/postgres`, `${PROGRAMS}/bin/initdb`],
    libraries: [`${LIBRARIES}/blas`, `${LIBRARIES}/lapack`, `${PROGRAMS}/lib`],
  })
  const root = join(directory, 'root')
  const loader = join(root, LIBRARIES, 'ld-linux-x86-64.so.2')
  const modules = readdirSync(join(root, PROGRAMS, 'lib')).filter((name) => /^pg_documentdb.*\.so$/.test(name))
  for (const name of modules)
    await command(loader, [
      ...['--library-path', join(root, LIBRARIES), join(root, 'usr/bin/patchelf'), '--remove-rpath'],
      join(root, PROGRAMS, 'lib', name),
    ])
  // The package's script would have made it.
  const control = join(root, 'usr/share/postgresql/18/extension/postgis.control')
  rmSync(control, { force: true })
  symlinkSync('postgis-3.control', control)
}

/** Its URL. */
async function startPostgres(run: ServerRun): Promise<string> {
  const port = await run.port('postgres')
  const data = run.path('data')
  const bin = cached(POSTGRES, 'root', PROGRAMS, 'bin')
  const user = process.getuid?.() === 0 ? { uid: NOBODY } : {}
  const isNew = !run.has('data')
  if (isNew) {
    mkdirSync(data)
    if (user.uid !== undefined) chownSync(data, NOBODY, NOBODY)
    const args = ['-D', data, '-U', 'postgres', '--auth=trust', '--locale=C.UTF-8']
    await run.complete({ command: join(bin, 'initdb'), args, cwd: data, ...user })
    appendFileSync(join(data, 'postgresql.conf'), settings(port))
  }
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await run.launch({ command: join(bin, 'postgres'), args: ['-D', data], cwd: data, ...user }, () =>
    runs(url, 'SELECT 1'),
  )
  if (isNew) await runs(url, 'CREATE EXTENSION documentdb CASCADE')
  return url
}

function settings(port: number): string {
  return `
port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_preload_libraries = 'pg_cron,pg_documentdb_core,pg_documentdb'
cron.database_name = 'postgres'
`
}

async function runs(url: string, sql: string): Promise<boolean> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(sql)
    return true
  } finally {
    await client.end().catch(() => {})
  }
}

/** The first question of a client: an OP_MSG with the document { hello: 1, $db: 'admin' }. */
const HELLO = ((): Buffer => {
  const document = Buffer.concat([
    Buffer.from([0x10]),
    Buffer.from('hello\0'),
    Buffer.from([1, 0, 0, 0, 0x02]),
    Buffer.from('$db\0'),
    Buffer.from([6, 0, 0, 0]),
    Buffer.from('admin\0\0'),
  ])
  const message = Buffer.alloc(16 + 4 + 1 + 4)
  message.writeInt32LE(message.length + document.length, 0)
  message.writeInt32LE(1, 4)
  message.writeInt32LE(2_013, 12)
  message.writeInt32LE(4 + document.length, 21)
  return Buffer.concat([message, document])
})()
