// Which methods a path has, to tell 405 from 404. The router only answers whether one method and path match. Contracts
// share paths, and a client of one is not told the methods of another.

import type { FastifyInstance } from 'fastify'

/** `contract`: null for the service's own routes, and for those that contracts share. */
type KnownRoute = {
  readonly method: string
  readonly url: string
  readonly pattern: RegExp
  readonly contract: string | null
}

export class AllowedMethods {
  readonly #routes: KnownRoute[] = []
  #contract: string | null = null

  /** Must be called before the routes are added. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', ({ method, url }) => {
      const pattern = patternOf(url)
      for (const one of [method].flat()) this.#routes.push({ method: one, url, pattern, contract: this.#contract })
    })
  }

  /** The routes that `register` adds are this contract's. */
  ofContract(name: string, register: () => void): void {
    this.#contract = name
    register()
    this.#contract = null
  }

  /** Sorted; empty when there is no such path. A path without parameters can be meant by nobody but the contract that has it. */
  of(path: string, contract: string): readonly string[] {
    const own = this.#methods(
      (route) => (route.contract === null || route.contract === contract) && route.pattern.test(path),
    )
    return own.length > 0 ? own : this.#methods(({ url }) => url === path)
  }

  #methods(isMeant: (route: KnownRoute) => boolean): readonly string[] {
    return [...new Set(this.#routes.filter(isMeant).map(({ method }) => method))].toSorted()
  }
}

/** Fastify's `/timers/:id` and `/files/*`. */
function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((segment) =>
      segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : segment.replaceAll(/[^\w-]/g, String.raw`\$&`),
    )
    .join('/')
  return new RegExp(`^${source}$`)
}
