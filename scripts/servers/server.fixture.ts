// Tests on a real server of their own. Where it is not installed there is one line that says what to run. CI must not skip a
// test, and names in REQUIRED_SERVERS what it has installed; of the others it says that they are missing.

import { after, before, test } from 'node:test'
import { missingServer, startServer } from './servers.ts'
import type { RunningServer, ServerName } from './servers.ts'

/** `tests` is called at once; the server is there when its tests run. */
export function onServer(name: ServerName, tests: (server: () => RunningServer) => void): void {
  const missing = missingServer(name)
  if (missing !== false) return tellMissing(name, missing)
  let server: RunningServer
  before(async () => {
    server = await startServer(name)
  })
  after(() => server.stop())
  tests(() => server)
}

function tellMissing(name: ServerName, missing: string): void {
  const isRequired = (process.env['REQUIRED_SERVERS'] ?? '').split(/[\s,]+/).includes(name)
  const isExcused = process.env['CI'] === 'true' && !isRequired
  test(`${name}: nothing was tried on it`, isExcused ? {} : { skip: missing }, (t) => t.diagnostic(missing))
}
