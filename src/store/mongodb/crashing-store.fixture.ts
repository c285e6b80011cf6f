// A store whose node dies in the middle of commits: when the entry is in the log and none or some of what it writes is written.
// Another node then goes on. What became of the commit is told from the rows, as nobody else could.

import { systemClock } from '../../runtime/clock/clock.ts'
import type { MongodbLocation } from '../../runtime/config/databases/mongodb.ts'
import { partOf } from '../commit-sheet.ts'
import { shardSort } from '../keyed/cluster-items.ts'
import type { CommitPart, PartResult, Store } from '../store.ts'
import { byId } from './commits.ts'
import { Documents } from './documents.ts'
import type { LossyWay } from './mongodb-server.fixture.ts'
import { openMongodbStore } from './mongodb-store.ts'
import { conditionsOf, lastRecord, verdictOn, writesOf } from './shard-log.ts'

const ATTEMPTS = 7
const CRASH_EVERY = 3

/** `location` leads over `way`. */
export async function crashingStore(way: LossyWay, location: MongodbLocation, shards: number): Promise<Store> {
  const direct = await Documents.connect(location, systemClock)
  let store = await openMongodbStore({ ...location, shards })
  let commits = 0

  const crash = async (part: CommitPart): Promise<PartResult> => {
    way.lose('rows', ...Array.from({ length: ATTEMPTS }, () => 'cut' as const))
    const results = await store.commit([part]).catch(() => null)
    way.forgive()
    if (results !== null) return results[0]!
    await writeSome(direct, part)
    await store.close()
    store = await openMongodbStore({ ...location, shards })
    // The first commit of the shard finishes the one before.
    await store.commit([partOf(part, [])])
    return (await wasWritten(direct, part)) ? { type: 'written' } : (await store.commit([part]))[0]!
  }
  const crashInEach = async (parts: readonly CommitPart[]): Promise<PartResult[]> => {
    const results: PartResult[] = []
    for (const part of parts) results.push(await crash(part))
    return results
  }

  return new Proxy({} as Store, {
    get(_, property) {
      if (property === 'commit')
        return (parts: readonly CommitPart[]) =>
          ++commits % CRASH_EVERY === 0 ? crashInEach(parts) : store.commit(parts)
      if (property === 'close')
        return async () => {
          await store.close()
          await direct.client.close()
        }
      const member = Reflect.get(store, property) as unknown
      return typeof member === 'function' ? member.bind(store) : member
    },
  })
}

/** Every other write of the shard's last entry. */
async function writeSome(documents: Documents, { shard }: CommitPart): Promise<void> {
  const [doc] = await documents.find({ _id: shardSort(shard) })
  const record = doc === undefined ? null : lastRecord(shard, doc)
  if (record === null) return
  const rows = await documents.find({ _id: { $in: conditionsOf(record).map(({ uuid }) => uuid) } })
  if (verdictOn(record, byId(rows)).type !== 'valid') return
  const some = writesOf(record, new Date(systemClock.now() + 60_000)).filter((_, n) => n % 2 === 1)
  if (some.length > 0) await documents.update(some)
}

/** The entry before the empty one that came after it is in the rows. */
async function wasWritten(documents: Documents, { shard, epoch, owner, puts, deletes }: CommitPart): Promise<boolean> {
  const [doc] = await documents.find({ _id: shardSort(shard) })
  if (doc?.['epoch'] !== epoch || doc['who'] !== owner) return false
  const uuids = [...puts.map(({ after }) => after.uuid), ...deletes.map(({ uuid }) => uuid)]
  if (uuids.length === 0) return true
  const rows = await documents.find({ _id: { $in: uuids } })
  return rows.length === uuids.length && rows.every(({ n }) => n === (doc['number'] as number) - 1)
}
