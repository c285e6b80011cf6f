// The URL of a MySQL, MariaDB or TiDB database, with the names that their tools have for TLS. `PREFERRED`, which encrypts only
// if the server likes to, is not among them: it protects from nobody.

import { parseServerUrl, TlsMode } from './server-location.ts'
import type { ServerLocation, ServerUrl } from './server-location.ts'

export const MYSQL_PORT = 3306
const TIDB_PORT = 4000

const MYSQL_URL: ServerUrl = {
  schemes: ['mysql', 'mariadb', 'tidb'],
  form: 'mysql://user:password@host:3306/database',
  port: MYSQL_PORT,
  parameters: { host: 'socket', mode: 'ssl-mode', ca: 'ssl-ca', cert: 'ssl-cert', key: 'ssl-key' },
  modes: {
    DISABLED: TlsMode.disable,
    REQUIRED: TlsMode.require,
    VERIFY_CA: TlsMode.verifyCa,
    VERIFY_IDENTITY: TlsMode.verifyFull,
  },
}
const TIDB_URL: ServerUrl = { ...MYSQL_URL, form: 'tidb://user:password@host:4000/database', port: TIDB_PORT }

/** Throws a RangeError that says what is right, without repeating what was given. */
export function parseMysqlUrl(text: string): ServerLocation {
  return parseServerUrl(text, /^tidb:/i.test(text) ? TIDB_URL : MYSQL_URL)
}
