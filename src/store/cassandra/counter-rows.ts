// The counters of one shard, as they are after the last commit that is known here. A conditional batch cannot add to a number,
// so the owner writes what the sum is; nobody else writes it, or the batch is refused. Rows that are not known are read first.

import type { Millis, Namespace, ShardId } from '../../core/timer/timer.ts'
import type { Counter } from '../store.ts'
import { Type } from './schema.ts'
import { numberOf } from './session.ts'
import type { Row, Session, Statement } from './session.ts'

const ROWS_MAX = 500 // of a shard: some namespaces, by slot of time
const AT_ROW = `WHERE shard = ? AND row_type = ${Type.counters} AND position = ? AND name = ?`
const READ = `SELECT counts FROM timers ${AT_ROW}`
const SET = `UPDATE timers SET counts = counts + ? ${AT_ROW}`
const UNSET = `UPDATE timers SET counts = counts - ? ${AT_ROW}`

type Sums = Map<string, number>
/** A row and what is changed of it. */
type Change = { readonly key: string; readonly slotAt: Millis; readonly namespace: Namespace; readonly sums: Sums }

export class CounterRows {
  readonly #shard: ShardId
  readonly #rows = new Map<string, Sums>()

  constructor(shard: ShardId) {
    this.#shard = shard
  }

  async add(session: Session, counters: readonly Counter[]): Promise<readonly Change[]> {
    const rows = Map.groupBy(counters, ({ slotAt, namespace }) => `${slotAt} ${namespace}`)
    return Promise.all(
      Array.from(rows, async ([key, members]) => {
        const { slotAt, namespace } = members[0]!
        const known = this.#rows.get(key) ?? (await this.#read(session, slotAt, namespace))
        this.#rows.set(key, known)
        return { key, slotAt, namespace, sums: new Map(members.map((one) => [one.name, sumOf(known, one)])) }
      }),
    )
  }

  async #read(session: Session, slotAt: Millis, namespace: Namespace): Promise<Sums> {
    const [row] = await session.read(READ, [this.#shard, slotAt, namespace])
    return row === undefined ? new Map() : countsOf(row)
  }

  statements(changes: readonly Change[]): Statement[] {
    return changes.flatMap(({ slotAt, namespace, sums }) => {
      const zeros = new Set([...sums.keys()].filter((name) => sums.get(name) === 0))
      const others = new Map([...sums].filter(([, sum]) => sum !== 0))
      const row = [this.#shard, slotAt, namespace]
      return [
        ...(others.size > 0 ? [{ query: SET, params: [others, ...row] }] : []),
        ...(zeros.size > 0 ? [{ query: UNSET, params: [zeros, ...row] }] : []),
      ]
    })
  }

  /** They have been written. */
  note(changes: readonly Change[]): void {
    for (const { key, sums } of changes) for (const [name, sum] of sums) this.#rows.get(key)!.set(name, sum)
    if (this.#rows.size > ROWS_MAX) this.#rows.clear()
  }
}

function sumOf(known: Sums, { name, amount }: Counter): number {
  return (known.get(name) ?? 0) + amount
}

export function countsOf({ counts }: Row): Sums {
  return new Map(
    Array.from((counts as ReadonlyMap<string, unknown> | null) ?? [], ([name, sum]) => [name, numberOf(sum)]),
  )
}
