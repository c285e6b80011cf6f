import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialLayout, resized } from '../../../core/cluster/layout.ts'
import { announced, withDone } from '../../../core/cluster/split.ts'
import type { ShardId } from '../../../core/timer/timer.ts'
import { silentLogger } from '../../../runtime/telemetry/logger.ts'
import { KnownLayout } from './known-layout.ts'

test('a layout with the version of one that a fail-over made the database forget is taken, too', () => {
  const first = initialLayout(2)
  const known = new KnownLayout(2, silentLogger())
  const split = { ...announced(resized(first, null, 4)), phase: 'splitting' } as const
  const done = (source: number) => ({
    ...first,
    version: 3,
    next: withDone(split, source as ShardId),
    text: `${source}`,
  })
  known.take(done(0))
  assert.ok(!known.shards.includes(0 as ShardId))
  known.take(done(1))
  assert.ok(known.shards.includes(0 as ShardId))
  assert.ok(!known.shards.includes(1 as ShardId))
})
