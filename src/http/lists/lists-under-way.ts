// How much may be read and not yet taken by clients: for each list that is under way a page of the largest size is set aside,
// from before the store is asked until the client has the last byte or is gone. What goes beyond the limit of a key, or
// of all, is answered with 503: memory stays bounded, however slowly somebody reads.

import type { FastifyInstance } from 'fastify'
import { unavailable } from '../../core/errors.ts'
import { PAGE_BYTES_MAX } from '../../core/limits.ts'
import type { Config } from '../../runtime/config/config.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers with a page of timers. */
    list?: boolean
  }
}

type Limits = Pick<Config, 'listBytesMax' | 'listBytesPerKeyMax' | 'payloadMaxBytes'>

const RETRY_AFTER_MS = 1_000

/** Must be called before the routes are added. */
export function registerListsUnderWay(app: FastifyInstance, limits: Limits): void {
  const underWay = new ListsUnderWay(limits)
  app.addHook('preHandler', (request, reply, done) => {
    if (request.routeOptions.config.list !== true) return done()
    const { name } = request.principal
    const refusal = underWay.begin(name)
    if (refusal !== null) return done(unavailable(refusal, RETRY_AFTER_MS))
    reply.raw.once('close', () => underWay.end(name))
    done()
  })
}

export class ListsUnderWay {
  readonly #inAllMax: number
  readonly #perKeyMax: number
  readonly #byKey = new Map<string, number>()
  #inAll = 0

  constructor({ listBytesMax, listBytesPerKeyMax, payloadMaxBytes }: Limits) {
    // A page has one timer at least, however large.
    const pageBytes = Math.max(PAGE_BYTES_MAX, payloadMaxBytes)
    this.#inAllMax = Math.max(1, Math.floor(listBytesMax / pageBytes))
    this.#perKeyMax = Math.max(1, Math.floor(listBytesPerKeyMax / pageBytes))
  }

  /** Why it cannot begin now, or null: then `end` is called when it is over. */
  begin(key: string): string | null {
    const ofKey = this.#byKey.get(key) ?? 0
    if (ofKey >= this.#perKeyMax)
      return `the key '${key}' has ${ofKey} lists under way, which is as many as LIST_BYTES_PER_KEY_MAX has room for`
    if (this.#inAll >= this.#inAllMax)
      return `${this.#inAll} lists are under way, which is as many as LIST_BYTES_MAX has room for`
    this.#byKey.set(key, ofKey + 1)
    this.#inAll++
    return null
  }

  end(key: string): void {
    const left = this.#byKey.get(key)! - 1
    if (left === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, left)
    this.#inAll--
  }
}
