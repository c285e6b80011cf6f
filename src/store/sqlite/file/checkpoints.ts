// Moves the write-ahead log back into the database now and then, and makes room in it before, both between commits and after the
// answer was sent.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { LogSpace } from './log-space.ts'

// About 128 MiB. A page that was written ten times since the last checkpoint is copied once, so a longer log means less
// work: at a million timers, four times 16,000 pages cut the time spent here to a fifth with due times in order, and by 40 %
// with random ones. The writer stops meanwhile, for 100 to 300 ms; firing goes on. Much longer, and the start after a
// crash, which reads all of the log, takes noticeably longer.
export const CHECKPOINT_PAGES = 32_000

export class Checkpoints {
  readonly #logSize: StatementSync
  readonly #checkpoint: StatementSync
  readonly #space: LogSpace

  constructor(db: DatabaseSync, path: string) {
    this.#space = new LogSpace(db, path)
    this.#logSize = db.prepare('PRAGMA wal_checkpoint(NOOP)')
    // Passive: it waits for nobody. What a reader still needs (a backup, say) is left to the next one.
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  }

  /** A failure loses nothing: the log keeps everything, and the next commit tries again. */
  runIfDue(): void {
    try {
      const frames = this.#logSize.get()!['log'] as number
      if (frames >= CHECKPOINT_PAGES) this.#checkpoint.get()
      else this.#space.prepare(frames)
    } catch {
      // The disk is full or failing, which the next commit will report to someone who can act on it.
    }
  }

  close(): void {
    this.#space.close()
  }
}
