// Where timers are stored, and which nodes share them.

import { filePath, plainText } from '../broker.ts'
import { databaseUrl, httpUrl, namespaceName, nodeLabel, sqlitePath } from '../places.ts'
import { boolean, choice, duration, integer, list, pairs } from '../values.ts'
import { TlsMode } from '../databases/server-location.ts'
import { group, optional, setting } from './setting.ts'

const RETENTION = { min: '1s', max: '36500d' }

export const STORAGE_SETTINGS = {
  ...group('Storage', {
    databaseUrl: setting('DATABASE_URL', databaseUrl(), 'sqlite:./data/duetime.db', {
      help: 'Where timers are stored. The path of a SQLite file is relative to the working directory.',
      secret: true,
    }),
    timerDbPath: optional('TIMER_DB_PATH', sqlitePath(), {
      help: 'Path of the SQLite file; the same as `DATABASE_URL=sqlite:<path>`.',
    }),
    retentionMs: setting('RETENTION', duration(RETENTION), '7d', {
      help: 'How long finished timers can still be read, listed and recognised as duplicates.',
    }),
    retentionByNamespace: setting('RETENTION_BY_NAMESPACE', pairs(namespaceName(), duration(RETENTION)), '', {
      help: 'Retention of single namespaces, such as `audit=30d,clicks=1h`.',
    }),
    commitQueueMax: setting('COMMIT_QUEUE_MAX', integer({ min: 1, max: 1_000_000 }), '20000', {
      help: 'Writes that may wait for the store; more are answered with 503 and `Retry-After`.',
    }),
    commitBatchMax: setting('COMMIT_BATCH_MAX', integer({ min: 1, max: 10_000 }), '1000', {
      help: 'Writes in one commit at most.',
    }),
    migrateAtStart: setting('MIGRATE_AT_START', boolean(), 'true', {
      help: 'Whether the service makes and changes the tables of SQLite and PostgreSQL when it starts. If not, `duetime migrate up` does, and the service refuses to start before. Other databases need no migrations.',
    }),
    shards: optional('SHARDS', integer({ min: 1, max: 4_096 }), {
      help: 'Parts that timers are spread over, and so the most nodes that share them. Counts when a database is first used, 64 by default; later `duetime reshard` changes it.',
    }),
  }),

  ...group('PostgreSQL', {
    pgHost: optional('PG_HOST', plainText('host'), {
      help: 'Store timers in the PostgreSQL server on this host (or in this directory of Unix sockets); instead of a `postgres://` URL.',
    }),
    pgPort: optional('PG_PORT', integer({ min: 1, max: 65_535 }), {
      help: 'The port that goes with PG_HOST; 5432 unless it is given.',
    }),
    pgUser: optional('PG_USER', plainText('name'), { help: 'User name for PostgreSQL.' }),
    pgPassword: optional('PG_PASSWORD', plainText('password'), {
      help: 'Its password; also for a URL that has none.',
      secret: true,
    }),
    pgDatabase: optional('PG_DB_NAME', plainText('name'), {
      help: 'The database, which must exist; its tables are made by the service.',
    }),
    pgTlsMode: optional('PG_SSL', choice(...Object.values(TlsMode)), {
      help:
        'Encryption: `require` does not check who answers, `verify-ca` checks the certificate, `verify-full` also the host name. ' +
        'The same as `sslmode` in the URL; `disable` unless it is given.',
    }),
    pgTlsCaFile: optional('PG_SSL_CA', filePath(), {
      help: 'Certificates of the authorities that may vouch for the server. With them `require` is `verify-ca`.',
    }),
    pgTlsCertFile: optional('PG_SSL_CERT', filePath(), { help: 'Certificate that this service shows to the server.' }),
    pgTlsKeyFile: optional('PG_SSL_KEY', filePath(), { help: 'Its key.' }),
    pgPoolSize: setting('PG_POOL_SIZE', integer({ min: 5, max: 100 }), '8', {
      help: 'Connections of this node at most. Commits and heartbeats have one each, the others are for reading.',
    }),
    pgStatementTimeoutMs: setting('PG_STATEMENT_TIMEOUT', duration({ min: '100ms', max: '10m' }), '10s', {
      help: 'How long the server may take for one statement.',
    }),
  }),

  ...group('MySQL, MariaDB and TiDB', {
    mysqlHost: optional('MYSQL_HOST', plainText('host'), {
      help: 'Store timers in the MySQL, MariaDB or TiDB server on this host (or at this Unix socket); instead of a `mysql://` URL.',
    }),
    mysqlPort: optional('MYSQL_PORT', integer({ min: 1, max: 65_535 }), {
      help: 'The port that goes with MYSQL_HOST; 3306 unless it is given.',
    }),
    mysqlUser: optional('MYSQL_USER', plainText('name'), { help: 'User name for MySQL.' }),
    mysqlPassword: optional('MYSQL_PASSWORD', plainText('password'), {
      help: 'Its password; also for a URL that has none.',
      secret: true,
    }),
    mysqlDatabase: optional('MYSQL_DATABASE', plainText('name'), {
      help: 'The database; it is made by the service, with its tables, if the user may create it.',
    }),
    mysqlTlsMode: optional('MYSQL_SSL', choice(...Object.values(TlsMode)), {
      help:
        'Encryption, as `PG_SSL`; in the URL `ssl-mode` is `DISABLED`, `REQUIRED`, `VERIFY_CA` or `VERIFY_IDENTITY`. ' +
        '`disable` unless it is given.',
    }),
    mysqlTlsCaFile: optional('MYSQL_SSL_CA', filePath(), {
      help: 'Certificates of the authorities that may vouch for the server. With them `require` is `verify-ca`.',
    }),
    mysqlTlsCertFile: optional('MYSQL_SSL_CERT', filePath(), {
      help: 'Certificate that this service shows to the server.',
    }),
    mysqlTlsKeyFile: optional('MYSQL_SSL_KEY', filePath(), { help: 'Its key.' }),
    mysqlPoolSize: setting('MYSQL_POOL_SIZE', integer({ min: 5, max: 100 }), '8', {
      help: 'Connections of this node at most. Commits and heartbeats have one each, the others are for reading.',
    }),
    mysqlStatementTimeoutMs: setting('MYSQL_STATEMENT_TIMEOUT', duration({ min: '1s', max: '10m' }), '10s', {
      help: 'How long the server may take for one statement.',
    }),
  }),

  ...group('Cluster', {
    leaseMs: setting('LEASE', duration({ min: '1s', max: '5m' }), '5s', {
      help: 'How long a node may be silent before the others take its timers. Only where the database can be shared.',
    }),
    nodeLabels: setting('NODE_LABELS', list(nodeLabel()), '', {
      help: 'What this node is, such as `eu,large`. Namespaces can be pinned to nodes with a label: see `duetime shards pin`.',
    }),
    nodeUrl: optional('NODE_URL', httpUrl(), {
      help: 'Where the other nodes reach this one. Unless it is given: the address it listens on, or the first of the machine when that is all of them.',
    }),
  }),
}
