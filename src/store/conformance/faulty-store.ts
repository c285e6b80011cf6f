// A store behind a network and a server that fail: any call may be slow, refused, or done without its answer coming back, at
// once or only later. A decorator for every adapter, for tests and simulations; which call suffers what is the test's to say.

import type { Millis } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { StoreError } from '../store.ts'
import type { Store } from '../store.ts'

export type StoreCall = { readonly name: Exclude<keyof Store, 'capabilities'>; readonly argument: unknown }

export type Fault =
  /** It takes this long until the store hears of the call, and until its answer is back. */
  | { readonly type: 'slow'; readonly beforeMs: Millis; readonly afterMs: Millis }
  /** The store never hears of it, and the caller knows. */
  | { readonly type: 'refused' }
  /** The caller does not know what became of it: nothing, or all of it, as late as this. `null`: the store never heard of it. */
  | { readonly type: 'lost'; readonly doneAfterMs: Millis | null }

export type Faults = (call: StoreCall) => Fault | null

/** Closing is never disturbed: a test must be able to end. */
export function faultyStore(store: Store, faults: Faults, clock: Clock): Store {
  return new Proxy(store, {
    get(target, property) {
      const member = Reflect.get(target, property) as unknown
      if (typeof member !== 'function' || property === 'close')
        return typeof member === 'function' ? member.bind(target) : member
      const call = member.bind(target) as (argument: unknown) => Promise<unknown>
      return (argument: unknown) =>
        suffer(faults({ name: property as StoreCall['name'], argument }), () => call(argument), clock)
    },
  })
}

async function suffer(fault: Fault | null, call: () => Promise<unknown>, clock: Clock): Promise<unknown> {
  switch (fault?.type) {
    case undefined:
      return call()
    case 'slow': {
      await sleep(clock, fault.beforeMs)
      const answer = await call()
      await sleep(clock, fault.afterMs)
      return answer
    }
    case 'refused':
      throw new StoreError('the connection was refused')
    case 'lost':
      if (fault.doneAfterMs === 0) await call()
      else if (fault.doneAfterMs !== null) clock.after(fault.doneAfterMs, () => void call().catch(() => {}))
      throw new StoreError('the connection was lost', { outcomeUnknown: true })
  }
}
