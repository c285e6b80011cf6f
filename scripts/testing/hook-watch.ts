// Loaded before each test file, so that a process ends as it should.
//
// Node does not wait for an `after` hook of a whole file that never ends: the process just
// ends, with 0. So the last hook of the file is ours, and a process that ends before it has run ends with 1.

import { AsyncResource } from 'node:async_hooks'
import { after } from 'node:test'

let hooks: 'not run' | 'started' | 'ended' = 'not run'

// Hooks run in the order in which they were registered: the first of them registers the last. It does so outside of its
// own run, or Node would take the new hook for one of the hook's and not of the file's.
const registerLast = AsyncResource.bind(() => after(() => void (hooks = 'ended')))
after(() => {
  hooks = 'started'
  registerLast()
})

process.on('exit', () => {
  if (hooks !== 'started') return
  console.error('An `after` hook of this file failed or never ended.')
  process.exitCode = 1
})

// A run that is interrupted ends its processes with a signal. Handlers of `exit` then still end what a test has started,
// and remove its directories.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
