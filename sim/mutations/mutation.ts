// Deliberate bugs. Each replaces a piece of the real source by a wrong one, and the simulator must find it: a simulator that
// never fails proves nothing. `promise` is the one that the bug breaks; which checker notices first may differ.

import type { PromiseName } from '../checkers/verdict.ts'

export type Replacement = { readonly file: string; readonly from: string; readonly to: string }

export type Mutation = {
  readonly name: string
  readonly promise: PromiseName
  readonly changes: readonly Replacement[]
}
