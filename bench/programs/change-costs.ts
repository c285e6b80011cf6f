// What a change of a timer asks of a server, by how many changes of a shard share a commit: through the engine's adapter alone,
// one commit after the other in each of some shards. Whoever asks looks at the server's CPU time meanwhile.

import { setup, answerQuestions } from '../harness/helper-side.ts'
import { farTimers } from '../harness/stored-timers.ts'
import { settle } from '../../src/core/rules/settle.ts'
import { TimerKind } from '../../src/core/timer/timer-kind.ts'
import type { Epoch, ShardId, Timer } from '../../src/core/timer/timer.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { silentLogger } from '../../src/runtime/telemetry/logger.ts'
import { deletingPart, partOf } from '../../src/store/commit-sheet.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { CommitPart, OwnedShard } from '../../src/store/store.ts'

export type Changes = { readonly kind: 'create' | 'firing' | 'removal'; readonly perCommit: number }
export type ChangesResult = { readonly changes: number }

const OWNER = 'bench'
const SHARDS = 8
const CHANGES = 400 // of each kind, or so
const DAY_MS = 86_400_000
const DUE_NOW = { afterDays: 0, days: 0 } // so that they are fired on time, and counted so

const { url, env } = setup<{ url: string; env: Readonly<Record<string, string>> }>()
Object.assign(process.env, env) // drivers have variables of their own
const store = await openStore(loadConfig({ env: { DATABASE_URL: url, SHARDS: String(SHARDS) } }), silentLogger())
const fences: OwnedShard[] = []
for (let shard = 0; shard < SHARDS; shard++) {
  const claimed = { shard: shard as ShardId, owner: OWNER }
  const epoch = await store.claim({ ...claimed, expected: 0 as Epoch, from: null })
  if (epoch === null) throw new Error('the database has another owner')
  fences.push({ ...claimed, epoch })
}

/** Those of the last question, commit by commit. */
let commits: { readonly fence: OwnedShard; timers: Timer[] }[] = []
let first = 0

answerQuestions<Changes, ChangesResult>({}, async ({ kind, perCommit }) => {
  if (kind === 'create') commits = newTimers(perCommit)
  const parts = commits.map((commit) => partFor(kind, commit))
  await Promise.all(fences.map((fence) => inOrder(parts.filter(({ shard }) => shard === fence.shard))))
  return { changes: commits.length * perCommit }
})

async function inOrder(parts: readonly CommitPart[]): Promise<void> {
  for (const part of parts) {
    const [result] = await store.commit([part])
    if (result!.type !== 'written') throw new Error(`a commit was answered ${result!.type}`)
  }
}

/** In the shards in turn: what the hash of an id says does not matter here. */
function newTimers(perCommit: number): typeof commits {
  const count = Math.max(SHARDS, Math.round(CHANGES / perCommit))
  return Array.from({ length: count }, (_, n) => {
    const timers = farTimers(first, perCommit, DUE_NOW)
    first += perCommit
    return { fence: fences[n % SHARDS]!, timers }
  })
}

function partFor(kind: Changes['kind'], commit: (typeof commits)[number]): CommitPart {
  const { fence, timers } = commit
  if (kind === 'create')
    return partOf(
      fence,
      changesTo(timers, () => null),
    )
  if (kind === 'removal')
    return deletingPart(
      fence,
      timers.map((timer) => ({ ...timer, shard: fence.shard, kind: TimerKind.once })),
    )
  const now = Date.now()
  const outcome = { type: 'delivered', statusCode: 200 } as const
  const fired = timers.map((timer) =>
    settle(timer, { startedAt: now, durationMs: 5, outcome }, { now, retentionMs: 7 * DAY_MS }),
  )
  commit.timers = fired
  return partOf(
    fence,
    changesTo(fired, (n) => timers[n]!),
  )
}

function changesTo(after: readonly Timer[], before: (n: number) => Timer | null) {
  return after.map((timer, n) => ({ before: before(n), after: timer }))
}
