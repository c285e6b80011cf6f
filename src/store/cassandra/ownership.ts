// Who owns which shard, and which nodes live. Beats and claims are conditional writes to one partition, so they have an order:
// a claim that saw an older beat is refused, or the beat sees the claim. The fence that commits are held against is in the
// shard's own partition and is set next. Who dies in between has not claimed the shard: it is named as the owner, and is silent.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { labelsIn, labelsText } from '../layout/node-labels.ts'
import { claimedEpoch, StoreError } from '../store.ts'
import type { ClusterState, NodeBeat, NodeRow, OwnedShard, ShardClaim, ShardRow } from '../store.ts'
import { readFence } from './commits.ts'
import { Type } from './schema.ts'
import { numberOf } from './session.ts'
import type { CallOptions, Row, Session, Statement, WriteAnswer } from './session.ts'

const NODE_KEPT_S = 86_400 // by then nobody waits for it any more
const TRIES_MAX = 10
const CLAIMS_MAX = 100 // in one batch
const AT = `WHERE place = 'cluster' AND kind = ? AND name = ?`
const CLAIM_NEW = `INSERT INTO cluster (place, kind, name, epoch, owner) VALUES ('cluster', 'shard', ?, ?, ?) IF NOT EXISTS`
const CLAIM = `UPDATE cluster SET epoch = ?, owner = ? ${AT} IF epoch = ? AND owner = ?`
const READ_ONE = `SELECT epoch, owner FROM cluster ${AT}`
// A node has no epoch: the statement is its condition.
const IF_BEAT = `DELETE epoch FROM cluster ${AT} IF beat = ?`
const BEAT = `UPDATE cluster USING TTL ${NODE_KEPT_S} SET address = ?, leaving = ?, labels = ?, beat = ?, skew = ? ${AT} IF beat != ?`
const READ_ALL = `SELECT kind, name, epoch, owner, address, leaving, labels, beat, skew, toTimestamp(now()) AS now
  FROM cluster WHERE place = 'cluster'`
const MAKE_FENCE = `INSERT INTO timers (shard, row_type, position, name) VALUES (?, ${Type.fence}, 0, '')`
const SET_FENCE = `UPDATE timers SET epoch = ?, owner = ?, commits = ? WHERE shard = ? IF epoch = ?`
const RELEASE_FENCE = `UPDATE timers SET owner = null WHERE shard = ? IF epoch = ? AND owner = ?`
const RELEASE = `UPDATE cluster SET owner = null ${AT} IF epoch = ? AND owner = ?`

type Waiting = {
  readonly shard: ShardId
  readonly statements: readonly Statement[]
  readonly resolve: (answer: Promise<WriteAnswer>) => void
}

/**
 * Paxos on one partition is slow when many want it at once, as all claims of a start do. While one write is on its way others
 * gather, and go as one batch; if that is refused, each goes alone.
 */
export class Claims {
  readonly #session: Session
  #waiting: Waiting[] = []
  #isWriting = false

  constructor(session: Session) {
    this.#session = session
  }

  async claim(wanted: ShardClaim): Promise<Epoch | null> {
    const { shard, expected, from, owner, ifBeat } = wanted
    const owned = { shard, epoch: claimedEpoch(wanted), owner }
    if (expected === 0 && from !== null) return null
    const claims: Statement =
      expected === 0
        ? { query: CLAIM_NEW, params: [String(shard), owned.epoch, owner] }
        : { query: CLAIM, params: [owned.epoch, owner, 'shard', String(shard), expected, from] }
    const silence = ifBeat === undefined || from === null ? [] : [{ query: IF_BEAT, params: ['node', from, ifBeat] }]
    const { isApplied, mayBeDone } = await this.#write(shard, [claims, ...silence])
    // An owner's name is that of one run: with this epoch nobody else can have put it there.
    const isWon = isApplied || (mayBeDone && (await isNamed(this.#session, owned)))
    if (!isWon) return null
    try {
      return (await setFence(this.#session, owned)) ? owned.epoch : null
    } catch (error) {
      throw new StoreError((error as Error).message, { outcomeUnknown: true, cause: error })
    }
  }

  async release({ shard, epoch, owner }: OwnedShard): Promise<void> {
    await this.#session.write([{ query: RELEASE_FENCE, params: [shard, epoch, owner] }])
    await this.#write(shard, [{ query: RELEASE, params: ['shard', String(shard), epoch, owner] }])
  }

  #write(shard: ShardId, statements: readonly Statement[]): Promise<WriteAnswer> {
    return new Promise((resolve) => {
      this.#waiting.push({ shard, statements, resolve })
      if (!this.#isWriting) void this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      // A batch must not write a row twice: of a shard, only what came first.
      const first = new Map(this.#waiting.toReversed().map((one) => [one.shard, one]))
      const some = [...first.values()].slice(0, CLAIMS_MAX)
      this.#waiting = this.#waiting.filter((one) => !some.includes(one))
      // Conditions on one and the same node are one.
      const all = new Map(some.flatMap(({ statements }) => statements).map((one) => [JSON.stringify(one), one]))
      const together = this.#session.write([...all.values()])
      const isForAll = some.length === 1 || (await together.then(({ isApplied }) => isApplied).catch(() => false))
      for (const { statements, resolve } of some) {
        const answer = isForAll ? together : this.#session.write(statements).then(inDoubt)
        resolve(answer)
        await answer.catch(() => {})
      }
    }
    this.#isWriting = false
  }
}

/** The batch before it may have been lost on its way, and be what is in the way. */
function inDoubt({ isApplied }: WriteAnswer): WriteAnswer {
  return { isApplied, mayBeDone: true }
}

async function isNamed(session: Session, { shard, epoch, owner }: OwnedShard): Promise<boolean> {
  const [row] = await session.read(READ_ONE, ['shard', String(shard)], { isSerial: true })
  return row !== undefined && numberOf(row['epoch']) === epoch && row['owner'] === owner
}

/** False when somebody with a higher epoch was faster. */
async function setFence(session: Session, { shard, epoch, owner }: OwnedShard): Promise<boolean> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const fence = await readFence(session, shard)
    if (fence !== null && fence.epoch >= epoch) return fence.epoch === epoch && fence.owner === owner
    const isNew = fence === null
    const sets = { query: SET_FENCE, params: [epoch, owner, isNew ? 0 : undefined, shard, fence?.epoch ?? null] }
    const made = isNew ? [{ query: MAKE_FENCE, params: [shard] }] : []
    if ((await session.write([sets, ...made])).isApplied) return true
  }
  throw new StoreError(`shard ${shard} is claimed by too many others at once`)
}

export async function shardRows(session: Session): Promise<ShardRow[]> {
  return shardsOf(await session.read(READ_ALL))
}

export class Beats {
  readonly #session: Session
  readonly #options: CallOptions
  readonly #now: () => number
  /** How far this machine's clock is ahead of the server's; zero as long as they may agree. */
  #skewMs = 0

  constructor(session: Session, { withinMs, now }: { readonly withinMs: number; readonly now: () => number }) {
    this.#session = session
    this.#options = { withinMs }
    this.#now = now
  }

  async beat({ node, address, leaving, labels = [], beat }: NodeBeat): Promise<ClusterState> {
    const params = [address, leaving, labelsText(labels), beat, Math.round(this.#skewMs), 'node', node, beat]
    await this.#session.write([{ query: BEAT, params }], this.#options)
    const sentAt = this.#now()
    const rows = await this.#session.read(READ_ALL, [], this.#options)
    this.#skewMs = skewOf({ sentAt, answeredAt: this.#now(), serverAt: (rows[0]!['now'] as Date).getTime() })
    return { nodes: rows.filter(({ kind }) => kind === 'node').map(nodeRow), shards: shardsOf(rows) }
  }
}

/** The server looked at its clock between the two moments. */
export function skewOf(times: {
  readonly sentAt: number
  readonly answeredAt: number
  readonly serverAt: number
}): number {
  const [least, most] = [times.sentAt - times.serverAt, times.answeredAt - times.serverAt]
  return least > 0 ? least : most < 0 ? most : 0
}

function shardsOf(rows: readonly Row[]): ShardRow[] {
  const shards = rows
    .filter(({ kind }) => kind === 'shard')
    .map(({ name, epoch, owner }) => {
      return { shard: Number(name) as ShardId, epoch: numberOf(epoch) as Epoch, owner: owner as string | null }
    })
  return shards.toSorted((a, b) => a.shard - b.shard)
}

function nodeRow({ name, address, leaving, labels, beat, skew }: Row): NodeRow {
  return {
    node: name as string,
    address: address as string | null,
    leaving: leaving as boolean,
    labels: labelsIn((labels as string | null) ?? ''),
    beat: numberOf(beat),
    clockSkewMs: numberOf(skew),
  }
}
