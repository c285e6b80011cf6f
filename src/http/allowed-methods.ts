// Which methods a path has, to tell 405 from 404. The router only answers whether one method and path match.

import type { FastifyInstance } from 'fastify'

type KnownRoute = { readonly method: string; readonly pattern: RegExp }

export class AllowedMethods {
  readonly #routes: KnownRoute[] = []

  /** Must be called before the routes are added. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', ({ method, url }) => {
      const pattern = patternOf(url)
      for (const one of [method].flat()) this.#routes.push({ method: one, pattern })
    })
  }

  /** Sorted; empty when there is no such path. */
  of(path: string): readonly string[] {
    const methods = this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    return [...new Set(methods)].toSorted()
  }
}

/** Fastify's `/timers/:id` and `/files/*`. */
function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : RegExp.escape(segment)))
    .join('/')
  return new RegExp(`^${source}$`)
}
