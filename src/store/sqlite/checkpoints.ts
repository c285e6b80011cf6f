// Moves the write-ahead log back into the database now and then, between commits and after the answer was sent.

import type { DatabaseSync, StatementSync } from 'node:sqlite'

// About 64 MiB. A checkpoint stops the writer for 50 to 100 ms, nearly whatever its size, because it ends in an fsync of
// the database: so it should be rare. Much larger logs slow down recovery after a crash and lookups in the log.
const CHECKPOINT_PAGES = 16_000

export class Checkpoints {
  readonly #logSize: StatementSync
  readonly #checkpoint: StatementSync

  constructor(db: DatabaseSync) {
    this.#logSize = db.prepare('PRAGMA wal_checkpoint(NOOP)')
    // Passive: it waits for nobody. What a reader still needs (a backup, say) is left to the next one.
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  }

  /** A failed checkpoint loses nothing: the log keeps everything, and the next commit tries again. */
  runIfDue(): void {
    try {
      if ((this.#logSize.get()!['log'] as number) >= CHECKPOINT_PAGES) this.#checkpoint.get()
    } catch {
      // The disk is full or failing, which the next commit will report to someone who can act on it.
    }
  }
}
