// `duetime serve`: settings, server, signals.

import { systemClock } from '../runtime/clock/clock.ts'
import { loadConfig } from '../runtime/config/config.ts'
import { stopOnSignals } from '../runtime/lifecycle.ts'
import { createLogger, isPretty, partLogger } from '../runtime/telemetry/logger.ts'
import { SpareMemory } from '../runtime/memory/spare-memory.ts'
import { holdYoungGeneration, releaseYoungGeneration } from '../runtime/memory/young-generation.ts'
import { banner } from './banner.ts'
import type { Flags } from './command/given-flags.ts'

export async function runServe(flags: Flags): Promise<void> {
  const config = loadConfig({ flags })
  holdYoungGeneration()
  // What is loaded here is not loaded for --help. The database opens while the rest of the code loads.
  const { openStore } = await import('../store/open-store.ts')
  const opening = openStore(config, createLogger(config))
  opening.catch(() => {}) // awaited by the server
  const { startServer } = await import('../server.ts')
  const server = await startServer(config, systemClock, { opening })
  releaseYoungGeneration()
  const spareMemory = new SpareMemory({
    clock: systemClock,
    freeUntil: () => server.freeUntil,
    pauseMaxMs: config.leaseMs / 4,
  })
  spareMemory.start()
  const { reloadKeys } = server
  if (reloadKeys !== null) process.on('SIGHUP', () => void reloadKeys())
  const logger = partLogger(createLogger(config), 'process')
  const stop = () => {
    spareMemory.stop()
    return server.stop()
  }
  stopOnSignals({ stop, logger, clock: systemClock, graceMs: config.shutdownGraceMs })
  // In a log that machines read, the lines for people would be noise.
  if (isPretty(config.logFormat)) process.stdout.write(banner(config, server.url))
}
