// Who owns which shard, and which nodes live. Beats and claims are conditional writes to one partition, so they have an order:
// a claim that saw an older beat is refused, or the beat sees the claim. The fence that commits are held against is in the
// shard's own partition and is set next. Who dies in between has not claimed the shard: it is named as the owner, and is silent.

import { randomUUID } from 'node:crypto'
import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { GatheredCalls } from '../gathered-gets.ts'
import { clusterState, NODE_KEPT_S, nodeFields, nodeSort, shardSort } from '../keyed/cluster-items.ts'
import type { Item } from '../keyed/timer-fields.ts'
import { claimedEpoch, StoreError } from '../store.ts'
import type { ClusterState, NodeBeat, OwnedShard, ShardClaim } from '../store.ts'
import { readFence } from './commits.ts'
import { statement } from './session.ts'
import type { CallOptions, Session, Statement } from './session.ts'
import { IN_ORDER } from './statements.ts'

const TRIES_MAX = 10
const CLAIMS_MAX = 100 // in one batch
const AT = `WHERE place = 'cluster' AND sort = ?`
const CLAIM_NEW = `INSERT INTO cluster (place, sort, epoch, owner, claimed) VALUES ('cluster', ?, ?, ?, ?) IF NOT EXISTS`
const CLAIM = `UPDATE cluster SET epoch = ?, owner = ?, claimed = ? ${AT} IF epoch = ? AND owner = ?`
const READ_ONE = `SELECT claimed FROM cluster ${AT}`
// A node has no epoch: the statement is its condition.
const IF_BEAT = `DELETE epoch FROM cluster ${AT} IF beat = ?`
// The server writes its own time beside that of the node.
const BEAT = `UPDATE cluster USING TTL ${NODE_KEPT_S} SET beat = ?, item = ?, at = toTimestamp(now()) ${AT} IF beat != ?`
const READ_ALL = `SELECT sort, epoch, owner, item, at FROM cluster WHERE place = 'cluster'`
const MAKE_FENCE = `INSERT INTO timers (shard, sort) VALUES (?, 'fence')`
const SET_FENCE = `UPDATE timers SET epoch = ?, owner = ?, commits = ? WHERE shard = ? IF epoch = ?`
const RELEASE_FENCE = `UPDATE timers SET owner = null WHERE shard = ? IF epoch = ? AND owner = ?`
const RELEASE = `UPDATE cluster SET owner = null ${AT} IF epoch = ? AND owner = ?`

type Change = { readonly shard: ShardId; readonly statements: readonly Statement[] }

export class Claims {
  readonly #session: Session
  /** Paxos on one partition is slow when many want it at once, as all claims of a start do. */
  readonly #changes: GatheredCalls<Change, boolean>

  constructor(session: Session) {
    this.#session = session
    this.#changes = new GatheredCalls((changes) => this.#write(changes), CLAIMS_MAX)
  }

  async claim(wanted: ShardClaim): Promise<Epoch | null> {
    const { shard, expected, from, owner, ifBeat } = wanted
    const owned = { shard, epoch: claimedEpoch(wanted), owner }
    if (expected === 0 && from !== null) return null
    const [sort, name] = [shardSort(shard), randomUUID()]
    const claims: Statement =
      expected === 0
        ? statement(CLAIM_NEW, sort, owned.epoch, owner, name)
        : statement(CLAIM, owned.epoch, owner, name, sort, expected, from)
    const silence = ifBeat === undefined || from === null ? [] : [statement(IF_BEAT, nodeSort(from), ifBeat)]
    const isApplied = await this.#changes.call({ shard, statements: [claims, ...silence] })
    // It may have been refused because of its own first attempt, whose answer was lost.
    const [row] = isApplied ? [] : await this.#session.run(READ_ONE, [sort], { isSerial: true })
    if (!isApplied && row?.['claimed'] !== name) return null
    try {
      return (await setFence(this.#session, owned)) ? owned.epoch : null
    } catch (error) {
      throw new StoreError((error as Error).message, { outcomeUnknown: true, cause: error })
    }
  }

  async release({ shard, epoch, owner }: OwnedShard): Promise<void> {
    await this.#session.write([statement(RELEASE_FENCE, shard, epoch, owner), statement(IN_ORDER, shard)])
    await this.#changes.call({ shard, statements: [statement(RELEASE, shardSort(shard), epoch, owner)] })
  }

  /** All of them as one batch; if that is refused, each goes alone. A batch must not write a row twice. */
  async #write(changes: readonly Change[]): Promise<readonly (boolean | Promise<boolean>)[]> {
    const isOnce = new Set(changes.map(({ shard }) => shard)).size === changes.length
    // Conditions on one and the same node are one.
    const all = new Map(changes.flatMap(({ statements }) => statements).map((one) => [JSON.stringify(one), one]))
    const isWritten = changes.length > 1 && isOnce && (await this.#session.write([...all.values()]).catch(() => false))
    const oneByOne = new Semaphore(1)
    return changes.map(({ statements }) => isWritten || oneByOne.take(() => this.#session.write(statements)))
  }
}

/** False when somebody with a higher epoch was faster. */
async function setFence(session: Session, { shard, epoch, owner }: OwnedShard): Promise<boolean> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const fence = await readFence(session, shard)
    if (fence !== null && fence.epoch >= epoch) return fence.epoch === epoch && fence.owner === owner
    const sets = statement(SET_FENCE, epoch, owner, fence === null ? 0 : undefined, shard, fence?.epoch ?? null)
    if (await session.write([sets, statement(fence === null ? MAKE_FENCE : IN_ORDER, shard)])) return true
  }
  throw new StoreError(`shard ${shard} is claimed by too many others at once`)
}

export async function beat(session: Session, { node, ...said }: NodeBeat, options: CallOptions): Promise<ClusterState> {
  const item = JSON.stringify({ ...nodeFields(said), now: said.now })
  await session.write([statement(BEAT, said.beat, item, nodeSort(node), said.beat)], options)
  return readCluster(session, options)
}

export async function readCluster(session: Session, options: CallOptions = {}): Promise<ClusterState> {
  const rows = await session.run(READ_ALL, [], options)
  return clusterState(
    rows.map(({ sort, epoch, owner, item, at }) => {
      const { now, ...said } = JSON.parse((item as string | null) ?? '{}') as Item
      const node = { ...said, skew: Number(now) - Number(at) }
      const shard = { epoch: Number(epoch), ...(owner !== null && { who: owner as string }) }
      return { sort: sort as string, fields: item === null ? shard : node }
    }),
  )
}
