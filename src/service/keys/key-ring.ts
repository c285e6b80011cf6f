// Finds out whose key it is. What is presented is hashed first and then looked up by its hash, so how long that takes
// says nothing about any key: whoever could steer a hash towards a stored one would have broken SHA-256. The last
// comparison takes the same time for all, so that not even the hash is told.

import { timingSafeEqual } from 'node:crypto'
import type { Principal } from '../../core/access/access.ts'
import { API_KEY_CHARS_MAX } from '../../core/limits.ts'
import { hashKey } from './api-key.ts'
import type { KeyEntry } from './key-entries.ts'

type StoredKey = { readonly hash: Buffer; readonly principal: Principal }

export class KeyRing {
  readonly #fixed: readonly KeyEntry[]
  #keys: ReadonlyMap<string, StoredKey> = new Map()
  #onReplaced: (entries: readonly KeyEntry[]) => void = () => {}

  /** `fixed` keys stay whatever is replaced. */
  constructor(fixed: readonly KeyEntry[] = []) {
    this.#fixed = fixed
    this.replace([])
  }

  get size(): number {
    return this.#keys.size
  }

  get entries(): readonly KeyEntry[] {
    return Array.from(this.#keys, ([hash, { principal }]) => ({ hash, principal }))
  }

  /** `tell` is given all keys whenever they have changed. */
  onReplaced(tell: (entries: readonly KeyEntry[]) => void): void {
    this.#onReplaced = tell
  }

  /** All at once: a request meets the old keys or the new ones. A fixed key wins over one with the same hash. */
  replace(entries: readonly KeyEntry[]): void {
    const all = [...entries, ...this.#fixed]
    this.#keys = new Map(all.map(({ hash, principal }) => [hash, { hash: Buffer.from(hash), principal }]))
    this.#onReplaced(this.entries)
  }

  find(presented: string): Principal | null {
    if (presented.length > API_KEY_CHARS_MAX) return null
    const hash = hashKey(presented)
    const key = this.#keys.get(hash)
    return key !== undefined && timingSafeEqual(key.hash, Buffer.from(hash)) ? key.principal : null
  }
}
