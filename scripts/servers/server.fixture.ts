// Tests on a real server of their own. Where it is not installed there is one line that says what to run. CI must not skip what
// it installs itself; what it has only now and then is named all the same.

import { after, before, test } from 'node:test'
import { missingServer, serverNamed, startServer } from './servers.ts'
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
  const { inEveryRun } = serverNamed(name)
  const isExcused = process.env['CI'] === 'true' && !inEveryRun
  test(`${name}: nothing was tried on it`, isExcused ? {} : { skip: missing }, (t) => t.diagnostic(missing))
}
