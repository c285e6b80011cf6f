// TiDB as one process on its own small storage, built from source. It stands for the SQL of TiDB, its locks and its errors;
// regions and the faults of a cluster of TiKV it has not.

import { writeFileSync } from 'node:fs'
import { greetsAsMysql } from '../answers.ts'
import { cached, fillCache, isCached } from '../cache.ts'
import { buildGoProgram } from '../install/go-build.ts'
import type { ServerKind } from '../server-kind.ts'

const KEY = 'tidb-8.5.6'

// The commit of v8.5.6: the Go proxy has it by this name and not by its tag. Built with Go 1.26 it panics at the start.
const GO_MOD = `module local/tidb-server
go 1.25.8
require (
	github.com/pingcap/tidb v1.1.0-beta.0.20260413061245-ae18096e0237
	github.com/pingcap/tidb/pkg/parser v0.0.0-20260331085336-4e0b702f38a8
)
replace (
	github.com/apache/arrow-go/v18 => github.com/joechenrh/arrow-go/v18 v18.0.0-20250911101656-62c34c9a3b82
	github.com/go-ldap/ldap/v3 => github.com/YangKeao/ldap/v3 v3.4.5-0.20230421065457-369a3bab1117
	sourcegraph.com/sourcegraph/appdash => github.com/sourcegraph/appdash v0.0.0-20190731080439-ebfcffb1b5c0
	sourcegraph.com/sourcegraph/appdash-data => github.com/sourcegraph/appdash-data v0.0.0-20151005221446-73f23eafcf67
)
`

export const tidb: ServerKind = {
  name: 'tidb',
  title: 'TiDB 8.5, one process',
  needs: ['go'],
  cost: '370 MB and a quarter of an hour of CPU time',
  inEveryRun: false,
  isInstalled: () => isCached(KEY),
  install: () =>
    fillCache(KEY, (directory) =>
      buildGoProgram(directory, {
        goMod: GO_MOD,
        importPath: 'github.com/pingcap/tidb/cmd/tidb-server',
        binary: 'tidb-server',
        toolchain: 'go1.25.8',
      }),
    ),
  start: async (run) => {
    const port = await run.port()
    writeFileSync(run.path('init.sql'), 'CREATE DATABASE IF NOT EXISTS duetime;\n')
    const args = [
      ...['-store', 'unistore', '-path', run.path('data'), '-host', '127.0.0.1', '-P', String(port)],
      ...['-status', String(await run.port('status')), '-status-host', '127.0.0.1', '-socket', run.path('socket')],
      ...['-L', 'warn', '-initialize-sql-file', run.path('init.sql')],
    ]
    await run.launch({ command: cached(KEY, 'tidb-server'), args }, () => greetsAsMysql(port))
  },
  url: (port, database) => `tidb://root@127.0.0.1:${port}/${database}`,
}
