// `duetime serve`: settings, server, signals.

import { systemClock } from '../runtime/clock/clock.ts'
import { loadConfig } from '../runtime/config/config.ts'
import { stopOnSignals } from '../runtime/lifecycle.ts'
import { isPretty, partLogger } from '../runtime/telemetry/logger.ts'
import { SpareMemory } from '../runtime/memory/spare-memory.ts'
import { holdYoungGeneration, releaseYoungGeneration } from '../runtime/memory/young-generation.ts'
import { banner } from './banner.ts'
import type { Flags } from './command/given-flags.ts'

export async function runServe(flags: Flags): Promise<void> {
  const config = loadConfig({ flags })
  holdYoungGeneration()
  // What is loaded here is not loaded for --help. The database opens while the rest of the code loads.
  const { abandon, beginOpening } = await import('../opening.ts')
  const opening = await beginOpening(config, systemClock)
  const { startServer } = await import('../server.ts').catch(async (error: unknown) => {
    await abandon(opening)
    throw error
  })
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
  const stop = () => {
    spareMemory.stop()
    return server.stop()
  }
  stopOnSignals({
    stop,
    logger: partLogger(opening.logger, 'process'),
    clock: systemClock,
    graceMs: config.shutdownGraceMs,
  })
  // In a log that machines read, the lines for people would be noise.
  if (isPretty(config.logFormat)) process.stdout.write(banner(config, server.url))
}
