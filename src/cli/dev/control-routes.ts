// The clock over HTTP, so that a test of somebody's own program can move the time of the server that the program uses.
// Only `duetime dev` has these routes, and that listens on loopback only.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from '../../runtime/schema-type.ts'
import { invalidInput } from '../../core/errors.ts'
import type { DevClock } from './dev-clock.ts'

const AdvanceBody = Type.Object(
  { by: Type.Optional(Type.String()), to: Type.Optional(Type.String()) },
  { additionalProperties: false },
)

export function clockRoutes(clock: DevClock): (app: FastifyInstance) => void {
  const shown = () => ({ now: iso(clock.now()), aheadMs: clock.aheadMs })
  return (instance) => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>()

    app.get('/dev/clock', { schema: { hide: true } }, () => shown())

    app.post('/dev/clock/advance', { schema: { hide: true, body: AdvanceBody } }, async ({ body: { by, to } }) => {
      if ((by === undefined) === (to === undefined))
        throw invalidInput('by', 'give by, such as "3d", or to, an instant')
      const { from, deliveries, remainingMs } =
        by === undefined ? await clock.advanceTo(to!) : await clock.advanceBy(by)
      return { ...shown(), from: iso(from), deliveries, complete: remainingMs === 0, remainingMs }
    })
  }
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
