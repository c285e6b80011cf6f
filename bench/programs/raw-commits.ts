// The raw limit of an engine for what the service asks of it: commits of new timers, with fences, versions and counters,
// through the engine's adapter alone, in a process of its own. Two commits are on their way at a time, as the service has
// it. The rows are made beforehand; only writing them is timed.

import { setup, answerQuestions } from '../harness/helper-side.ts'
import { farTimers } from '../harness/stored-timers.ts'
import { shardOf } from '../../src/core/timer/ids.ts'
import type { Epoch, ShardId, Timer } from '../../src/core/timer/timer.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { silentLogger } from '../../src/runtime/telemetry/logger.ts'
import { partOf, partsWithin } from '../../src/store/commit-sheet.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { CommitPart } from '../../src/store/store.ts'

/** `withinMs`: no commit is begun after that, however many are left. */
export type RawCommits = {
  readonly commits: number
  readonly rowsPerCommit: number
  readonly firstId: number
  readonly withinMs: number
}

const OWNER = 'bench'
const IN_FLIGHT = 2

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

answerQuestions<RawCommits, { perSecond: number }>({}, async ({ commits, rowsPerCommit, firstId, withinMs }) => {
  const waiting = Array.from({ length: commits }, (_, n) =>
    partsOf(farTimers(firstId + n * rowsPerCommit, rowsPerCommit)),
  )
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: IN_FLIGHT }, () => commitAll(waiting, startedAt + withinMs)))
  const made = (commits - waiting.length) * rowsPerCommit
  return { perSecond: (made / (performance.now() - startedAt)) * 1_000 }
})

async function commitAll(waiting: (readonly CommitPart[])[], until: number): Promise<void> {
  while (performance.now() < until) {
    const parts = waiting.pop()
    if (parts === undefined) return
    const results = await store.commit(parts)
    const refused = results.find(({ type }) => type !== 'written')
    if (refused !== undefined) throw new Error(`a commit was answered ${refused.type}`)
  }
}

function partsOf(timers: readonly Timer[]): CommitPart[] {
  const byShard = Map.groupBy(timers, ({ uuid }) => shardOf(uuid, shards))
  return [...byShard].flatMap(([shard, some]) => {
    const fence = { shard, epoch: epochs[shard]!, owner: OWNER }
    return partsWithin(
      partMax,
      some.map((after) => ({ before: null, after })),
      (changes) => partOf(fence, changes),
    ).map(({ part }) => part)
  })
}
