// A node of its own for tests of what is around the engine, with room for some thousand timers.

import { silentLogger } from '../runtime/telemetry/logger.ts'
import { Engine } from './engine.ts'
import type { EngineOptions } from './engine.ts'

/** Nothing fires by polling: what a test needs must not depend on the safety net. */
export function testEngine(
  options: Pick<EngineOptions, 'store' | 'clock' | 'targets'> & Partial<EngineOptions>,
): Engine {
  return new Engine({
    logger: silentLogger(),
    observer: { fired() {}, settled() {}, committed() {} },
    node: 'test',
    retentionMs: () => 7 * 86_400_000,
    rescheduleMinMs: 1_000,
    window: { timersMax: 10_000, bytesMax: 64 * 1_024 * 1_024, pageSize: 1_000 },
    deliveries: { total: 100, perNamespace: 100, perTarget: 100 },
    commitQueue: { lengthMax: 10_000, batchMax: 1_000 },
    pollIntervalMs: 3_600_000,
    ...options,
  })
}
