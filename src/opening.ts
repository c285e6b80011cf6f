// What takes a server a while and needs little of its code: reading the keys, and opening the database. It is begun before the
// rest of the code loads.

import type { Clock } from './runtime/clock/clock.ts'
import type { Config } from './runtime/config/config.ts'
import { createLogger, partLogger } from './runtime/telemetry/logger.ts'
import type { Logger } from './runtime/telemetry/logger.ts'
import { openStore } from './store/open-store.ts'
import type { Store } from './store/store.ts'
import { openKeys } from './service/keys/open-keys.ts'
import type { OpenKeys } from './service/keys/open-keys.ts'

export type Opening = OpenKeys & { readonly logger: Logger; readonly store: Promise<Store> }

/** The keys first: they are the quickest to fail, and a database is not changed by a service that will not start. */
export async function beginOpening(config: Config, clock: Clock): Promise<Opening> {
  const logger = createLogger(config)
  const keys = await openKeys(config, { clock, logger: partLogger(logger, 'keys') })
  const store = openStore(config, logger)
  store.catch(() => {}) // whoever awaits it says what failed
  return { logger, ...keys, store }
}

/** For a start that failed. A thread or a connection that stays open would keep the process alive, with nobody to talk to. */
export async function abandon({ store }: Opening): Promise<void> {
  await store.then((opened) => opened.close()).catch(() => {})
}
