// A database for commands that work on it instead of a service: opened, and owned as a whole where no node may touch it meanwhile.

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { systemClock } from '../../runtime/clock/clock.ts'
import { loadConfig } from '../../runtime/config/config.ts'
import type { Config } from '../../runtime/config/config.ts'
import { isLasting } from '../../runtime/config/databases/databases.ts'
import { createLogger } from '../../runtime/telemetry/logger.ts'
import { SoleOwner } from '../../service/transfer/sole-owner.ts'
import type { Store } from '../../store/store.ts'
import type { Flags } from '../command/given-flags.ts'
import { UsageError } from '../command/usage-error.ts'

export function lastingDatabase(flags: Flags): Config {
  const config = loadConfig({ flags })
  if (!isLasting(config.database))
    throw new UsageError('A store in memory ends with its process: name a database that lasts.')
  return config
}

export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  // Loaded when it is needed, so that --help does not wait for it.
  const { openStore } = await import('../../store/open-store.ts')
  const store = await openStore(config, createLogger(config))
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** `resharding`: see SoleOwner. */
export function withOwnedStore<T>(
  config: Config,
  work: (store: Store, owner: SoleOwner) => Promise<T>,
  resharding = false,
): Promise<T> {
  return withStore(config, async (store) => {
    const node = `transfer:${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`
    const owner = await SoleOwner.of({ store, clock: systemClock, leaseMs: config.leaseMs, node, resharding })
    try {
      return await work(store, owner)
    } finally {
      await owner.release()
    }
  })
}

/** The first Ctrl-C ends it in order, so that nodes need not wait for the lease; the second one ends the process. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController()
  const onSignal = () => interruption.abort()
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  try {
    return await work(interruption.signal)
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}
