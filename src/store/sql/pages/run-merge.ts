// Timers in the order of a time that an index has in many runs, one for each namespace or shard. The first timer of each tells
// which runs can be on the page at all; of these, more are read only as they are used up. So a page costs one look at each
// run, however many they are, and about as many rows as it has and passes over.

import { MinHeap } from '../../../core/min-heap.ts'
import type { PageQuery } from '../../store.ts'
import { inChunks, Statement } from '../statement.ts'
import type { Question, Value } from '../statement.ts'
import { uuidText } from '../timer-sql.ts'
import type { RunKind } from './page-plan.ts'

export type Place = readonly [at: number, uuid: string]
/** Conditions on the rows besides those of the run. */
export type Terms = (statement: Statement) => readonly string[]

type Page = Pick<PageQuery, 'descending' | 'offset' | 'limit'> & { readonly terms: Terms }

const BLOCK_MAX = 1_000

/** What is read of a run and not used yet. Before its first block only the time of its first timer is known. */
type Run = {
  readonly kind: RunKind
  readonly key: Value
  block: readonly Place[]
  used: number
  blockSize: number
  at: number
  uuid: string
}

/** The uuids of the page. */
export function* mergeRuns(dialect: Statement['dialect'], kinds: readonly RunKind[], page: Page): Question<string[]> {
  const { descending, offset, limit } = page
  const [sign, beforeAll] = descending ? [-1, Number.MAX_SAFE_INTEGER] : [1, Number.MIN_SAFE_INTEGER]
  // A run that is not read yet comes before all others of its time: it may have the first uuid among them.
  const runs = new MinHeap<Run>((a, b) => sign * (a.at - b.at) || order(a.uuid, b.uuid, sign))
  for (const kind of kinds) {
    const heads = kind.key === null ? [[null, beforeAll] as const] : yield* headsOf(dialect, kind, page)
    for (const [key, at] of heads) runs.push({ kind, key, block: [], used: 0, blockSize: 1, at, uuid: '' })
  }
  const uuids: string[] = []
  for (let passed = 0; uuids.length < limit;) {
    const run = runs.pop()
    if (run === undefined) break
    if (run.uuid !== '' && ++passed > offset) uuids.push(run.uuid)
    if (run.used === run.block.length) {
      run.block = yield* nextOf(dialect, run, page, beforeAll)
      run.used = 0
      run.blockSize = Math.min(2 * run.blockSize, BLOCK_MAX)
    }
    const place = run.block[run.used++]
    if (place === undefined) continue
    ;[run.at, run.uuid] = place
    runs.push(run)
  }
  return uuids
}

/** The time of the first timer of each run that has any. */
function* headsOf(
  dialect: Statement['dialect'],
  kind: RunKind,
  { descending, terms }: Page,
): Question<[Value, number][]> {
  const { column, type, values } = kind.key!
  const found: [Value, number][] = []
  for (const keys of inChunks(values, dialect)) {
    const statement = new Statement(dialect)
    const where = [`${column} = listed.value`, ...kind.where, ...terms(statement)].join(' AND ')
    const rows = yield statement.query(`
      SELECT listed.value,
        (SELECT ${kind.at} FROM timers ${dialect.by(kind.by)} WHERE ${where} ORDER BY ${kind.at} ${direction(descending)} LIMIT 1)
      FROM ${dialect.listed(type, keys, statement)}`)
    for (const [key, at] of rows) if (at !== null) found.push([key!, at as number])
  }
  return found
}

function* nextOf(
  dialect: Statement['dialect'],
  { kind, key, at, uuid, blockSize }: Run,
  { descending, terms }: Page,
  beforeAll: number,
): Question<readonly Place[]> {
  const statement = new Statement(dialect)
  const isUnread = uuid === ''
  const behind = [
    statement.bind(isUnread ? beforeAll : at, 'time'),
    statement.bind(isUnread ? EDGE_UUID[descending ? 1 : 0]! : uuid, 'uuid'),
  ]
  const inRun = kind.key === null ? [] : [`${kind.key.column} = ${statement.bind(key, kind.key.type)}`]
  const isBehind = dialect.isBehind([kind.at, 'timer_uuid'], behind, descending)
  const where = [...inRun, ...kind.where, ...terms(statement), isBehind].join(' AND ')
  return (yield statement.query(`
    SELECT ${kind.at}, ${uuidText(dialect)} FROM timers ${dialect.by(kind.by)} WHERE ${where}
    ORDER BY ${kind.at} ${direction(descending)}, timer_uuid ${direction(descending)}
    LIMIT ${statement.bind(blockSize, 'integer')}`)) as readonly unknown[] as readonly Place[]
}

const EDGE_UUID = ['0'.repeat(32), 'f'.repeat(32)]

export function direction(descending: boolean): 'ASC' | 'DESC' {
  return descending ? 'DESC' : 'ASC'
}

function order(a: string, b: string, sign: number): number {
  if (a === b) return 0
  if (a === '' || b === '') return a === '' ? -1 : 1
  return a < b ? -sign : sign
}
