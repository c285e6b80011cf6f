// A function of the program that has this library in it, by the timer's namespace. The program may not be running now,
// which is no failure: where there is no function, firings wait for it.

import type { TargetType } from './target-type.ts'

export type FunctionTarget = { readonly type: 'function' }

export const functionTarget: TargetType<FunctionTarget> = {
  type: 'function',
  fields: {},
  placeOf: () => 'function',
  unconfigured: 'a callback of type function can only be made by the program that has the function',
  waitsForAdapter: true,
}
