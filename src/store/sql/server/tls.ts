// The settings of TLS to a database server, as Node's sockets take them.

import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { TlsMode } from '../../../runtime/config/databases/server-location.ts'
import type { ServerTls } from '../../../runtime/config/databases/server-location.ts'
import { StoreError } from '../../store.ts'
import type { SettingsPrefix } from './failures/network-failures.ts'

/** False for none. */
export function tlsOptions(
  { mode, caFile, certFile, keyFile }: ServerTls,
  settings: SettingsPrefix,
): ConnectionOptions | false {
  if (mode === TlsMode.disable) return false
  const files = {
    ...(caFile !== null && { ca: read(caFile, `${settings}_SSL_CA`) }),
    ...(certFile !== null && { cert: read(certFile, `${settings}_SSL_CERT`) }),
    ...(keyFile !== null && { key: read(keyFile, `${settings}_SSL_KEY`) }),
  }
  // Who names an authority wants it asked: with one, `require` is `verify-ca`, as it is for PostgreSQL's own tools.
  if (mode === TlsMode.require && caFile === null) return { ...files, rejectUnauthorized: false }
  return mode === TlsMode.verifyFull ? files : { ...files, checkServerIdentity: () => undefined }
}

function read(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = (error as Error).message
    throw new StoreError(`cannot read ${file} (${setting}): ${reason}`, { retryable: false, cause: error })
  }
}
