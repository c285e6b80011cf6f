// The raw limit of an engine for what the service asks of it: commits of new timers, or of timers that have fired, with
// fences, versions and counters, through the engine's adapter alone, in a process of its own. Two commits are on their way at
// a time, as the service has it. The rows are made beforehand; only writing them is timed.

import { setup, answerQuestions } from '../harness/helper-side.ts'
import { farTimers } from '../harness/stored-timers.ts'
import { settle } from '../../src/core/rules/settle.ts'
import { shardOf } from '../../src/core/timer/ids.ts'
import type { Epoch, ShardId, Timer } from '../../src/core/timer/timer.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { silentLogger } from '../../src/runtime/telemetry/logger.ts'
import { partOf, partsWithin } from '../../src/store/commit-sheet.ts'
import type { Change } from '../../src/store/commit-sheet.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { CommitPart } from '../../src/store/store.ts'

/** `withinMs`: no commit is begun after that, however many are left. For firings, the timers are stored before, and not timed. */
export type RawCommits = {
  readonly kind: 'create' | 'firing'
  readonly commits: number
  readonly rowsPerCommit: number
  readonly firstId: number
  readonly withinMs: number
}

const OWNER = 'bench'
const IN_FLIGHT = 2
const DUE_NOW = { afterDays: 0, days: 0 } // so that they are fired on time, and counted so
const RETENTION_MS = 7 * 86_400_000

const { url, env } = setup<{ url: string; env: Readonly<Record<string, string>> }>()
Object.assign(process.env, env) // drivers have variables of their own
const config = loadConfig({ env: { DATABASE_URL: url } })
const store = await openStore(config, silentLogger())
const { shards, partMax } = store.capabilities
const epochs: Epoch[] = []
for (let shard = 0; shard < shards; shard++) {
  const epoch = await store.claim({ shard: shard as ShardId, expected: 0 as Epoch, from: null, owner: OWNER })
  if (epoch === null) throw new Error('the database of the raw limit has another owner')
  epochs.push(epoch)
}

answerQuestions<RawCommits, { perSecond: number }>({}, async (question) => {
  const creates = newCommits(question)
  if (question.kind === 'create') return timed(creates, question)
  const stored = creates.slice(creates.length - (await timed([...creates], question)).commits)
  // The engine fires what is due shard by shard, so those of one shard are together.
  const timers = stored
    .flatMap((commit) => commit.timers)
    .toSorted((a, b) => shardOf(a.uuid, shards) - shardOf(b.uuid, shards))
  return timed(firedCommits(timers, question.rowsPerCommit), question)
})

type Commit = { readonly timers: readonly Timer[]; readonly parts: readonly CommitPart[] }

/** From the end, so many as are committed in time. */
async function timed(
  waiting: Commit[],
  { withinMs }: RawCommits,
): Promise<{ readonly commits: number; readonly perSecond: number }> {
  const all = [...waiting]
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: IN_FLIGHT }, () => commitAll(waiting, startedAt + withinMs)))
  const done = all.slice(waiting.length)
  const made = done.reduce((sum, { timers }) => sum + timers.length, 0)
  return { commits: done.length, perSecond: (made / (performance.now() - startedAt)) * 1_000 }
}

function newCommits({ kind, commits, rowsPerCommit, firstId }: RawCommits): Commit[] {
  return Array.from({ length: commits }, (_, n) => {
    const first = firstId + n * rowsPerCommit
    const timers = kind === 'create' ? farTimers(first, rowsPerCommit) : farTimers(first, rowsPerCommit, DUE_NOW)
    return { timers, parts: partsOf(timers.map((after) => ({ before: null, after }))) }
  })
}

function firedCommits(timers: readonly Timer[], rowsPerCommit: number): Commit[] {
  const count = Math.ceil(timers.length / rowsPerCommit)
  return Array.from({ length: count }, (_, n) => firedCommit(timers.slice(n * rowsPerCommit, (n + 1) * rowsPerCommit)))
}

function firedCommit(timers: readonly Timer[]): Commit {
  const now = Date.now()
  const attempt = { startedAt: now, durationMs: 5, outcome: { type: 'delivered', statusCode: 200 } } as const
  const changes = timers.map((before) => ({
    before,
    after: settle(before, attempt, { now, retentionMs: RETENTION_MS }),
  }))
  return { timers, parts: partsOf(changes) }
}

async function commitAll(waiting: Commit[], until: number): Promise<void> {
  while (performance.now() < until) {
    const commit = waiting.pop()
    if (commit === undefined) return
    const results = await store.commit(commit.parts)
    const refused = results.find(({ type }) => type !== 'written')
    if (refused !== undefined) throw new Error(`a commit was answered ${refused.type}`)
  }
}

function partsOf(changes: readonly Change[]): CommitPart[] {
  const byShard = Map.groupBy(changes, ({ after }) => shardOf(after.uuid, shards))
  return [...byShard].flatMap(([shard, some]) => {
    const fence = { shard, epoch: epochs[shard]!, owner: OWNER }
    return partsWithin(partMax, some, (few) => partOf(fence, few)).map(({ part }) => part)
  })
}
