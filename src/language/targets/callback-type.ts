// What the native language has to know about one type of target: how clients write it, and what it becomes. Not every type
// of target has one: clients cannot write those that have none.

import type { TSchema } from 'typebox'
import type { Target } from '../../core/targets/target.ts'

export type CallbackType<Written extends { readonly type: Target['type'] }> = {
  readonly schema: TSchema
  /** As a message quotes it. */
  readonly example: string
  /** Throws INVALID_INPUT for what the schema cannot see. */
  readonly read: (callback: Written) => Extract<Target, { readonly type: Written['type'] }>
}

/** Contracts differ in whether what is left out may be null as well. */
export type Maybe<Value> = Value | null | undefined
