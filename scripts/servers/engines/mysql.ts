// MySQL, from Debian's unstable release, unpacked. Which version that is cannot be pinned, and it may be gone one day.

import { mkdirSync, writeFileSync } from 'node:fs'
import { greetsAsMysql } from '../answers.ts'
import { cached, fillCache, isCached } from '../cache.ts'
import { unpackPackages } from '../install/debian-packages.ts'
import type { ServerKind } from '../server-kind.ts'
import { bySize } from '../server-size.ts'

const KEY = 'mysql-sid'

export const mysql: ServerKind = {
  name: 'mysql',
  title: 'MySQL 9 of Debian’s unstable release',
  needs: ['apt-get', 'dpkg-deb'],
  cost: '71 MB',
  inEveryRun: false,
  isInstalled: () => isCached(KEY),
  install: () =>
    fillCache(KEY, (directory) =>
      unpackPackages(directory, cached(KEY), {
        release: 'sid',
        packages: ['mysql-server-core'],
        programs: ['usr/sbin/mysqld'],
        libraries: ['usr/lib/mysql/private'],
      }),
    ),
  start: async (run) => {
    const port = await run.port()
    const program = cached(KEY, 'root/usr/sbin/mysqld')
    const common = [
      '--no-defaults',
      '--user=root',
      `--datadir=${run.path('data')}`,
      `--tmpdir=${run.temporary()}`,
      `--lc-messages-dir=${cached(KEY, 'root/usr/share/mysql')}`,
      `--character-sets-dir=${cached(KEY, 'root/usr/share/mysql/charsets')}`,
      `--plugin-dir=${cached(KEY, 'root/usr/lib/mysql/plugin')}`,
      '--secure-file-priv=NULL',
      '--mysqlx=0',
    ]
    if (!run.has('data')) {
      mkdirSync(run.path('data'))
      await run.complete({ command: program, args: [...common, '--initialize-insecure'] })
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
      ...bySize({ small: [], large: ['--innodb-buffer-pool-size=2G', '--innodb-redo-log-capacity=1G'] }),
    ]
    await run.launch({ command: program, args }, () => greetsAsMysql(port))
  },
  url: (port, database) => `mysql://root@127.0.0.1:${port}/${database}`,
}
