// Two nodes with one address: what is sent to one arrives at the other, so commands go astray. It is a mistake in the
// settings that only people can mend, and they are told once for each such node.

import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { NodeRow } from '../../store/store.ts'

type DuplicateAddressOptions = { readonly address: () => string | null; readonly logger: Logger }

export class DuplicateAddressWatch {
  readonly #options: DuplicateAddressOptions
  readonly #known = new Set<string>()

  constructor(options: DuplicateAddressOptions) {
    this.#options = options
  }

  /** At the nodes that live: a predecessor at the address of this one has beaten its last before this one looked. */
  look(living: readonly NodeRow[]): void {
    const { logger } = this.#options
    const address = this.#options.address()
    if (address === null) return
    for (const row of living) {
      if (row.address !== address || row.leaving || this.#known.has(row.node)) continue
      this.#known.add(row.node)
      logger.error({ address, other: row.node }, 'another node has the same address: give each its own NODE_URL')
    }
  }
}
