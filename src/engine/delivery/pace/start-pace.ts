// How far the starts of deliveries run ahead of the store, when many are due at once. What has been done and is not durable
// is done again if the process dies. So the outcomes that wait for the store may be few, and an eighth of those that became
// durable since nothing waited any more: a burst begins with small commits and grows to large ones, which take less of the
// store's time for each. And one more for each millisecond without an answer of the store: timers that come due one after
// the other do not wait when it pauses.
//
// And not all start in one turn of the event loop: what has ended goes to the store after some, while the next ones start.

import type { Cancel, Clock } from '../../../runtime/clock/clock.ts'

const AHEAD_MIN = 32
const AHEAD_PART = 1 / 8
const PER_TURN_MAX = 128
const TURN_MS_MAX = 10 // what took longer was not one turn, or is one that others should have had a part of
const LOOK_MS_MAX = 10 // the store may answer meanwhile, and then pause when fewer wait

export class StartPace {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>
  #durable = 0
  #durableMono = 0
  #inTurn = 0
  #turnMono = 0
  #cancelLook: Cancel | null = null

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>) {
    this.#clock = clock
  }

  /** `no`: an outcome has to become durable first. `later`: in another turn of the event loop. `waiting`: outcomes that wait for the store. */
  mayStart(waiting: number): 'yes' | 'no' | 'later' {
    if (waiting >= this.#aheadMax && this.#roomInMs(waiting) >= 0) return 'no'
    return this.#inTurn < PER_TURN_MAX || this.#isNewTurn() ? 'yes' : 'later'
  }

  /** After a `no`: calls back when another one may start although the store has not answered, or earlier. It may be asked again and again. */
  whenRoom(waiting: number, look: () => void): void {
    this.#cancelLook ??= this.#clock.after(Math.min(Math.floor(this.#roomInMs(waiting)) + 1, LOOK_MS_MAX), () => {
      this.#cancelLook = null
      look()
    })
  }

  /** One has started. */
  started(): void {
    if (++this.#inTurn === 1) this.#turnMono = this.#clock.monotonic()
  }

  /** An outcome became durable. */
  stored(): void {
    this.#durable++
    this.#durableMono = this.#clock.monotonic()
  }

  /** Another turn of the event loop has begun. */
  newTurn(): void {
    this.#inTurn = 0
  }

  /** Nothing waits any more, for a slot or for the store. */
  idle(): void {
    this.#durable = 0
    this.#cancelLook?.()
    this.#cancelLook = null
  }

  get #aheadMax(): number {
    return AHEAD_MIN + this.#durable * AHEAD_PART
  }

  /** Negative when there is room already. */
  #roomInMs(waiting: number): number {
    return waiting - this.#aheadMax - (this.#clock.monotonic() - this.#durableMono)
  }

  /** They were started one after the other, and not at once. */
  #isNewTurn(): boolean {
    if (this.#clock.monotonic() - this.#turnMono <= TURN_MS_MAX) return false
    this.#inTurn = 0
    return true
  }
}
