// Those who wait for a slot, the one that holds fewest first, and among equals the one that has waited longest. Finding,
// adding and deleting take the same time whether two wait or 20,000: one set for each number of slots held, and nobody
// holds more than there are.
//
// One that is alone is kept beside the sets: it changes what it holds with every delivery, and sets that are added to and
// deleted from all the time make garbage.

export class FewestFirst<Holder extends { readonly held: number }> {
  /** The only one, unless it is in the sets. */
  #alone: Holder | undefined
  readonly #byHeld: Set<Holder>[] = []
  #fewest = 0
  #inSets = 0

  get size(): number {
    return this.#alone === undefined ? this.#inSets : 1
  }

  /** No effect if it is here. Whoever changes what it holds deletes it before and adds it again. */
  add(holder: Holder): void {
    if (this.#alone === holder) return
    if (this.size === 0) {
      this.#alone = holder
      return
    }
    if (this.#alone !== undefined) {
      this.#addToSets(this.#alone)
      this.#alone = undefined
    }
    this.#addToSets(holder)
  }

  delete(holder: Holder): boolean {
    if (this.#alone === holder) {
      this.#alone = undefined
      return true
    }
    if (this.#byHeld[holder.held]?.delete(holder) !== true) return false
    this.#inSets--
    return true
  }

  first(): Holder | undefined {
    if (this.#inSets === 0) return this.#alone
    while ((this.#byHeld[this.#fewest]?.size ?? 0) === 0) this.#fewest++
    for (const holder of this.#byHeld[this.#fewest]!) return holder
    return undefined
  }

  #addToSets(holder: Holder): void {
    const equals = (this.#byHeld[holder.held] ??= new Set())
    if (equals.has(holder)) return
    equals.add(holder)
    this.#inSets++
    this.#fewest = Math.min(this.#fewest, holder.held)
  }
}
