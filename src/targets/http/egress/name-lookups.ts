// Host names become addresses by the system's own way (hosts file, search domains, whatever else is configured), which
// occupies one of few threads of the process for as long as a name server is silent: four by default. One tenant's dead
// names must not keep the others from being resolved. So names that have not lately been answered get half of the threads
// only; those beyond ask the name servers directly, without a thread, and wait for one only where that finds nothing.

import { lookup, Resolver } from 'node:dns/promises'

/** Gives the addresses of a host name in the order in which to try them. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

const UNKNOWN_NAMES_MAX = 2 // half of the threads that Node has by default
const ANSWERED_NAMES_MAX = 4_096 // remembered; the least recently answered make room
const DIRECT_TIMEOUT_MS = 2_000
const DIRECT_TRIES = 2

export class NameLookups {
  readonly #bySystem: Resolve
  readonly #direct: Resolve
  /** A burst opens many connections to one host at once; they need one answer. */
  readonly #underWay = new Map<string, Promise<readonly string[]>>()
  readonly #answered = new Set<string>()
  readonly #waiting: (() => void)[] = []
  #unknownUnderWay = 0

  constructor({ bySystem = systemResolve, direct = directResolve }: { bySystem?: Resolve; direct?: Resolve } = {}) {
    this.#bySystem = bySystem
    this.#direct = direct
  }

  resolve(hostname: string): Promise<readonly string[]> {
    const known = this.#underWay.get(hostname)
    if (known) return known
    const addresses = this.#lookUp(hostname).finally(() => this.#underWay.delete(hostname))
    this.#underWay.set(hostname, addresses)
    return addresses
  }

  async #lookUp(hostname: string): Promise<readonly string[]> {
    // Until it has answered again it is like any other name that may be dead.
    if (this.#answered.delete(hostname)) return this.#remember(hostname, await this.#bySystem(hostname))
    if (this.#unknownUnderWay >= UNKNOWN_NAMES_MAX) {
      const found = await this.#direct(hostname).catch(() => [])
      if (found.length > 0) return this.#remember(hostname, found)
    }
    await this.#turn()
    try {
      return this.#remember(hostname, await this.#bySystem(hostname))
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#unknownUnderWay--
    }
  }

  /** Resolves when one of the threads for unknown names is free; it is handed on from one to the next. */
  async #turn(): Promise<void> {
    if (this.#unknownUnderWay < UNKNOWN_NAMES_MAX) this.#unknownUnderWay++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #remember(hostname: string, addresses: readonly string[]): readonly string[] {
    this.#answered.add(hostname)
    if (this.#answered.size > ANSWERED_NAMES_MAX) {
      for (const oldest of this.#answered) {
        this.#answered.delete(oldest)
        break
      }
    }
    return addresses
  }
}

async function systemResolve(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true })
  return found.map(({ address }) => address)
}

async function directResolve(hostname: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: DIRECT_TIMEOUT_MS, tries: DIRECT_TRIES })
  const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  return families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
}
