// What stands between those who ask for lists, pages and statistics and the store that answers them. A store has a few
// threads or connections for such questions, so one key must not fill them: the store is asked a bounded number of questions
// at a time, few of one key, and keys take turns. Within a key the namespaces that are named take turns; that is all
// that can be done where nobody needs a key. And the answers need memory until clients have taken them, which is bounded, too.
//
// A turn is for one question to the store, not for a request: a request that asks again goes to the end of the queue.

import { unavailable } from '../../core/errors.ts'
import { PAGE_BYTES_MAX } from '../../core/limits.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { ListFilter, NamespaceScope, TimerQueries } from '../../store/store.ts'

/** Questions that people ask. */
export type Queries = Pick<TimerQueries, 'list' | 'page' | 'stats' | 'tallies' | 'upcoming'>
export type ListMemory = Pick<Config, 'listBytesMax' | 'listBytesPerKeyMax' | 'payloadMaxBytes'>

const ASKED_MAX = 8 // whoever comes next waits for a few of them at most, also where one thread answers all
const ASKED_PER_KEY_MAX = 2
const WAITING_PER_KEY_MAX = 128 // some kB each; statistics of the largest kind are eight questions
const RETRY_AFTER_MS = 1_000
const EVERY = '' // the queue of questions that name no namespace
const UNBOUNDED: ListMemory = { listBytesMax: Infinity, listBytesPerKeyMax: Infinity, payloadMaxBytes: 0 }

type Waiting = { readonly start: () => void; readonly refuse: (error: unknown) => void }
/** `waiting`: by namespace, in the order of their turns; each has one at least. `answers`: being read, or sent. */
type Key = { asked: number; answers: number; waitingCount: number; readonly waiting: Map<string, Waiting[]> }

export class QueryGate {
  readonly #queries: Queries
  readonly #answersMax: number
  readonly #answersPerKeyMax: number
  /** Those that have something under way, in the order of their turns. */
  readonly #keys = new Map<string, Key>()
  #asked = 0
  #answers = 0

  constructor(queries: Queries, memory: ListMemory = UNBOUNDED) {
    this.#queries = queries
    // A page has one timer at least, however large.
    const pageBytes = Math.max(PAGE_BYTES_MAX, memory.payloadMaxBytes)
    this.#answersMax = Math.max(1, Math.floor(memory.listBytesMax / pageBytes))
    this.#answersPerKeyMax = Math.max(1, Math.floor(memory.listBytesPerKeyMax / pageBytes))
  }

  /** The store's answers to one key. They reject with UNAVAILABLE when too many of its questions wait. */
  for(name: string): Queries {
    const queries = this.#queries
    return {
      list: (query) => this.#ask(name, query.filter, () => queries.list(query)),
      page: (query) => this.#ask(name, query.filter, () => queries.page(query)),
      stats: (scope = {}) => this.#ask(name, scope, () => queries.stats(scope)),
      tallies: (query) => this.#ask(name, query, () => queries.tallies(query)),
      upcoming: (query) => this.#ask(name, query, () => queries.upcoming(query)),
    }
  }

  /**
   * Sets memory aside for an answer of the largest size, until `endAnswer` says that the client has all of it or is gone. Throws
   * UNAVAILABLE when there is none left.
   */
  beginAnswer(name: string): void {
    const answers = this.#keys.get(name)?.answers ?? 0
    if (answers >= this.#answersPerKeyMax)
      throw refusal(`the key '${name}' has ${answers} lists under way, as many as LIST_BYTES_PER_KEY_MAX has room for`)
    if (this.#answers >= this.#answersMax)
      throw refusal(`${this.#answers} lists are under way, as many as LIST_BYTES_MAX has room for`)
    this.#keyOf(name).answers++
    this.#answers++
  }

  endAnswer(name: string): void {
    const key = this.#keys.get(name)!
    key.answers--
    this.#answers--
    this.#forgetIdle(name, key)
  }

  async #ask<T>(name: string, { namespace }: NamespaceScope | ListFilter, question: () => Promise<T>): Promise<T> {
    const key = this.#keyOf(name)
    if (this.#asked < ASKED_MAX && key.asked < ASKED_PER_KEY_MAX) this.#start(name, key)
    else await new Promise<void>((start, refuse) => this.#wait(name, key, namespace ?? EVERY, { start, refuse }))
    try {
      return await question()
    } finally {
      this.#asked--
      key.asked--
      this.#forgetIdle(name, key)
      this.#startNext()
    }
  }

  #wait(name: string, key: Key, namespace: string, waiting: Waiting): void {
    const queue = key.waiting.get(namespace) ?? []
    if (key.waitingCount >= WAITING_PER_KEY_MAX) {
      // A namespace with fewer questions is let in at the expense of the one with the most.
      const longest = [...key.waiting.values()].reduce((most, one) => (one.length > most.length ? one : most))
      const error = refusal(
        `the key '${name}' has ${key.waitingCount} questions waiting, which is as many as it may have`,
      )
      if (longest.length <= queue.length + 1) return waiting.refuse(error)
      longest.pop()!.refuse(error)
      key.waitingCount--
    }
    queue.push(waiting)
    key.waiting.set(namespace, queue)
    key.waitingCount++
  }

  #startNext(): void {
    for (const [name, key] of this.#keys) {
      if (this.#asked >= ASKED_MAX) return
      if (key.waitingCount === 0 || key.asked >= ASKED_PER_KEY_MAX) continue
      const [namespace, queue] = key.waiting.entries().next().value!
      this.#start(name, key)
      key.waitingCount--
      key.waiting.delete(namespace)
      const next = queue.shift()!
      if (queue.length > 0) key.waiting.set(namespace, queue)
      next.start()
    }
  }

  /** It goes to the end of the turns. */
  #start(name: string, key: Key): void {
    key.asked++
    this.#asked++
    this.#keys.delete(name)
    this.#keys.set(name, key)
  }

  #keyOf(name: string): Key {
    let key = this.#keys.get(name)
    if (key === undefined) this.#keys.set(name, (key = { asked: 0, answers: 0, waitingCount: 0, waiting: new Map() }))
    return key
  }

  #forgetIdle(name: string, { asked, answers, waitingCount }: Key): void {
    if (asked + answers + waitingCount === 0) this.#keys.delete(name)
  }
}

function refusal(message: string): Error {
  return unavailable(message, RETRY_AFTER_MS)
}
