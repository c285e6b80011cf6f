// MariaDB: that of this machine's Debian, installed or unpacked, and a newer one, unpacked.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { greetsAsMysql } from '../answers.ts'
import { cached, fillCache, isCached } from '../cache.ts'
import { programPath } from '../install/command.ts'
import { unpackPackages } from '../install/debian-packages.ts'
import type { ServerKind } from '../server-kind.ts'
import type { ServerRun } from '../server-run.ts'
import { bySize } from '../server-size.ts'

/** What makes the tables of the server's own, in this order. Newer packages have another word in the names, and in the folders. */
const SYSTEM_TABLES = [
  'WORD_system_tables',
  'WORD_performance_tables',
  'WORD_system_tables_data',
  'maria_add_gis_sp_bootstrap',
]
const WORDS = ['mariadb', 'mysql']

type Home = { readonly program: string; readonly base: string }

function mariadbOf(name: string, title: string, release: string | null): ServerKind {
  const key = release === null ? 'mariadb' : `mariadb-${release}`
  const home = (): Home => {
    const installed = release === null ? programPath('mariadbd') : null
    const base = installed === null ? cached(key, 'root', 'usr') : '/usr'
    return { program: installed ?? join(base, 'sbin', 'mariadbd'), base }
  }
  return {
    name,
    title,
    needs: ['apt-get', 'dpkg-deb'],
    cost: '26 MB',
    inEveryRun: release === null,
    isInstalled: () => isCached(key) || (release === null && programPath('mariadbd') !== null),
    install: () =>
      fillCache(key, (directory) =>
        unpackPackages(directory, cached(key), {
          release,
          packages: ['mariadb-server-core'],
          programs: ['usr/sbin/mariadbd'],
        }),
      ),
    start: (run) => start(run, home()),
    url: (port, database) => `mariadb://root@127.0.0.1:${port}/${database}`,
  }
}

async function start(run: ServerRun, { program, base }: Home): Promise<void> {
  const port = await run.port()
  const word = WORDS.find((one) => existsSync(join(base, 'share', one, `${one}_system_tables.sql`)))!
  const share = join(base, 'share', word)
  const common = [
    '--no-defaults',
    '--user=root',
    `--basedir=${base}`,
    `--datadir=${run.path('data')}`,
    `--tmpdir=${run.temporary()}`,
    `--lc-messages-dir=${share}`,
    `--character-sets-dir=${join(share, 'charsets')}`,
    `--plugin-dir=${join(base, 'lib', word, 'plugin')}`,
  ]
  if (!run.has('data')) {
    mkdirSync(run.path('data', 'mysql'), { recursive: true })
    const scripts = SYSTEM_TABLES.map((name) => readFileSync(join(share, `${name.replace('WORD', word)}.sql`), 'utf8'))
    const input = ['use mysql;', "SET @auth_root_socket=NULL, @skip_auth_anonymous='1';", ...scripts].join('\n')
    const bootstrap = ['--bootstrap', '--enforce-storage-engine=', '--max_allowed_packet=8M', '--net_buffer_length=16K']
    await run.complete({ command: program, args: [...common, ...bootstrap], input: `${input}\n` })
    writeFileSync(run.path('init.sql'), 'CREATE DATABASE IF NOT EXISTS duetime;\n')
  }
  const args = [
    ...common,
    `--socket=${run.path('socket')}`,
    `--pid-file=${run.path('pid')}`,
    `--init-file=${run.path('init.sql')}`,
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    '--skip-log-bin',
    '--skip-name-resolve',
    ...bySize({ small: [], large: ['--innodb-buffer-pool-size=2G', '--innodb-log-file-size=1G'] }),
    // Tests of TLS have some.
    ...(process.env['MARIADB_FLAGS']?.split(' ') ?? []),
  ]
  await run.launch({ command: program, args }, () => greetsAsMysql(port))
}

export const mariadb = mariadbOf('mariadb', 'MariaDB of this machine’s Debian', null)
export const mariadb118 = mariadbOf('mariadb-11.8', 'MariaDB 11.8 of Debian 13', 'trixie')
