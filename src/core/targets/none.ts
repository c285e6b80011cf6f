// No target: the timer fires, is recorded as completed and shows in events; nothing is called.

import type { TargetType } from './target-type.ts'

export type NoTarget = { readonly type: 'none' }

export const noTarget: TargetType<NoTarget> = {
  type: 'none',
  fields: {},
  placeOf: () => 'none',
  unconfigured: 'this service needs a callback for each timer',
}
