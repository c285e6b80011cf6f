// What the batches of the contracts have in common: items are told apart by their `action`, each is checked by the
// schema of its action and no other, and a bad one fails alone.

import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { invalidInput } from '../../core/errors.ts'
import { validationError } from '../errors/validation-message.ts'
import type { SchemaFault } from '../errors/validation-message.ts'

/** A compiled schema: says yes, or no and leaves its reasons behind. */
type ItemValidator = { (item: unknown): unknown; errors?: readonly SchemaFault[] | null }

export class BatchItems<Action extends string> {
  readonly #validators = new Map<string, ItemValidator>()
  readonly #actions: readonly Action[]

  /** Ready when the app is. */
  constructor(app: FastifyInstance, url: string, schemas: Readonly<Record<Action, TSchema>>) {
    this.#actions = Object.keys(schemas) as Action[]
    app.addHook('onReady', (done) => {
      for (const [action, schema] of Object.entries<TSchema>(schemas)) {
        this.#validators.set(
          action,
          app.validatorCompiler!({ schema, method: 'POST', url, httpPart: 'body' }) as ItemValidator,
        )
      }
      done()
    })
  }

  /** What the item asks for; `create` when it does not say. Throws INVALID_INPUT when it is not as it should be. */
  check(item: unknown): Action | 'create' {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      throw invalidInput('timers', 'each of timers must be an object, as for create')
    }
    const { action = 'create' } = item as { readonly action?: unknown }
    const validate = typeof action === 'string' ? this.#validators.get(action) : undefined
    if (validate === undefined) throw invalidInput('action', `action must be one of ${this.#actions.join(', ')}`)
    if (validate(item) !== true) throw validationError(validate.errors!)
    return action as Action
  }
}
