// Timers of several namespaces in the order of their creation, which an index has for each namespace alone. The first timer
// of each tells which namespaces can be on the page at all; of these, more are read only as they are used up. So a page
// costs one look at each namespace, however many they are, and about as many rows as it has and passes over.

import { MinHeap } from '../../../core/min-heap.ts'

export type Place = { readonly at: number; readonly uuid: string }
export type Head = { readonly namespace: string; readonly at: number }

export type MergeQuery = { readonly descending: boolean; readonly offset: number; readonly limit: number }
export type MergeReads = {
  /** The times of first timers, of as many namespaces as may have some of the first `enough` timers. */
  readonly heads: (enough: number) => readonly Head[]
  /** The timers of a namespace behind a place. */
  readonly next: (namespace: string, after: Place, limit: number) => readonly Place[]
}

const BLOCK_MAX = 1_000

/** What is read of a namespace and not used yet. Before its first block only the time of its first timer is known. */
type Run = {
  readonly namespace: string
  block: readonly Place[]
  used: number
  blockSize: number
  at: number
  uuid: string
}

/** The uuids of the page. */
export function mergeNamespaces({ descending, offset, limit }: MergeQuery, { heads, next }: MergeReads): string[] {
  const [sign, beforeAll] = descending ? [-1, Number.MAX_SAFE_INTEGER] : [1, Number.MIN_SAFE_INTEGER]
  // A run that is not read yet comes before all others of its time: it may have the first uuid among them.
  const runs = new MinHeap<Run>((a, b) => sign * (a.at - b.at) || order(a.uuid, b.uuid, sign))
  for (const { namespace, at } of heads(offset + limit))
    runs.push({ namespace, block: [], used: 0, blockSize: 1, at, uuid: '' })
  const uuids: string[] = []
  for (let passed = 0; uuids.length < limit;) {
    const run = runs.pop()
    if (run === undefined) break
    if (run.uuid !== '' && ++passed > offset) uuids.push(run.uuid)
    if (run.used === run.block.length) {
      const after = run.uuid === '' ? { at: beforeAll, uuid: '' } : { at: run.at, uuid: run.uuid }
      run.block = next(run.namespace, after, run.blockSize)
      run.used = 0
      run.blockSize = Math.min(2 * run.blockSize, BLOCK_MAX)
    }
    const place = run.block[run.used++]
    if (place === undefined) continue
    run.at = place.at
    run.uuid = place.uuid
    runs.push(run)
  }
  return uuids
}

function order(a: string, b: string, sign: number): number {
  if (a === b) return 0
  if (a === '' || b === '') return a === '' ? -1 : 1
  return a < b ? -sign : sign
}
