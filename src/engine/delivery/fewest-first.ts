// Those who wait for a slot, the one that holds fewest first, and among equals the one that has waited longest. Finding,
// adding and deleting take the same time whether two wait or 20,000: one set for each number of slots held, and nobody
// holds more than there are.

export class FewestFirst<Holder extends { readonly held: number }> {
  readonly #byHeld: Set<Holder>[] = []
  #fewest = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  /** No effect if it is here. Whoever changes what it holds deletes it before and adds it again. */
  add(holder: Holder): void {
    const equals = (this.#byHeld[holder.held] ??= new Set())
    if (equals.has(holder)) return
    equals.add(holder)
    this.#size++
    this.#fewest = Math.min(this.#fewest, holder.held)
  }

  delete(holder: Holder): boolean {
    if (this.#byHeld[holder.held]?.delete(holder) !== true) return false
    this.#size--
    return true
  }

  first(): Holder | undefined {
    if (this.#size === 0) return undefined
    while ((this.#byHeld[this.#fewest]?.size ?? 0) === 0) this.#fewest++
    for (const holder of this.#byHeld[this.#fewest]!) return holder
    return undefined
  }
}
