// Counts and tallies are added up in two steps. A commit leaves its sums as one row of arrays in timer_tally_log, the cheapest
// write there is; now and then a node takes what has gathered there and adds it to timer_counts and timer_tallies, where a
// thousand commits share a few dozen rows. Who reads adds both up in one statement, so that nothing is missing and nothing is
// counted twice at any moment.

import { STANDING } from '../../core/tallies.ts'
import type { Millis } from '../../core/timer.ts'
import { systemClock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Connections } from './connections.ts'

/** In the log, the slot of counts: how many timers have a status and kind, which are the name. */
export const COUNTS: Millis = -1

export function countName(status: number, kind: number): string {
  return `${status}.${kind}`
}

/** The same in SQL, of a row of timers. */
export const COUNT_NAME = `timer_status || '.' || coalesce(timer_kind, 0)`

const FOLD_AFTER_COMMITS = 128
const ROWS_MAX = 256 // with one fold
const ENTRIES_MAX = 20_000 // with one fold, and one row more: about a tenth of a second
const ENTRIES_MIN = 1_000
const FOLDS_AT_ONCE = 8 // one after the other, while there is more than one can take
const REST_FACTOR = 20 // a fold that is slow, over rows that a long transaction keeps from being swept, is made less often

const ENTRIES = 'unnest(sum_namespaces, sum_slots, sum_names, sum_amounts) AS sums (namespace, slot, name, amount)'
// Guarded by itself: nothing says that a condition on the slot is looked at first.
const countPart = (part: 1 | 2) => `(CASE slot WHEN ${COUNTS} THEN split_part(name, '.', ${part}) END)::smallint`
const COUNT_COLUMNS = `
  namespace AS timer_namespace, ${countPart(1)} AS timer_status, ${countPart(2)} AS timer_kind, amount AS timer_count`
// What happened in a slot counts for all time, too.
const TALLY_COLUMNS = `
  namespace AS timer_namespace, unnest(CASE slot WHEN ${STANDING} THEN '{${STANDING}}' ELSE ARRAY[${STANDING}, slot] END) AS slot_at,
  name AS tally_name, amount AS tally_amount`

/** The columns of timer_counts, not yet added up. */
export const COUNTS_NOW = `(
  SELECT timer_namespace, timer_status, timer_kind, timer_count FROM timer_counts
  UNION ALL
  SELECT ${COUNT_COLUMNS} FROM timer_tally_log CROSS JOIN ${ENTRIES} WHERE slot = ${COUNTS}
) AS counts_now`

/** What timer_tallies will get; with its columns. */
export const UNFOLDED_TALLIES = `(SELECT ${TALLY_COLUMNS} FROM timer_tally_log CROSS JOIN ${ENTRIES} WHERE slot <> ${COUNTS}) AS unfolded`

// Nodes that fold at the same time take different rows. The order keeps them from locking each other out. A namespace is
// known by its counts, so they are entered even when they come to nothing.
const FOLD_SQL = `
  WITH chosen AS MATERIALIZED (
    SELECT id FROM (
      SELECT id, sum(entries) OVER (ROWS UNBOUNDED PRECEDING) - entries AS entries_before
      FROM (SELECT ctid AS id, cardinality(sum_names) AS entries FROM timer_tally_log LIMIT ${ROWS_MAX} FOR UPDATE SKIP LOCKED) AS unlocked
    ) AS counted WHERE entries_before < $1::integer
  ), taken AS MATERIALIZED (
    DELETE FROM timer_tally_log WHERE ctid = ANY (ARRAY(SELECT id FROM chosen))
    RETURNING sum_namespaces, sum_slots, sum_names, sum_amounts
  ), entries AS MATERIALIZED (
    SELECT namespace, slot, name, sum(amount)::bigint AS amount, count(*) AS added FROM taken CROSS JOIN ${ENTRIES}
    GROUP BY namespace, slot, name
  ), counted AS (
    INSERT INTO timer_counts (timer_namespace, timer_status, timer_kind, timer_count)
    SELECT ${COUNT_COLUMNS} FROM entries WHERE slot = ${COUNTS} ORDER BY 1, 2, 3
    ON CONFLICT (timer_namespace, timer_status, timer_kind) DO UPDATE SET timer_count = timer_counts.timer_count + excluded.timer_count
  ), tallied AS (
    INSERT INTO timer_tallies (timer_namespace, slot_at, tally_name, tally_amount)
    SELECT timer_namespace, slot_at, tally_name, sum(tally_amount)
    FROM (SELECT ${TALLY_COLUMNS} FROM entries WHERE slot <> ${COUNTS} AND amount <> 0) AS all_slots
    GROUP BY timer_namespace, slot_at, tally_name ORDER BY timer_namespace, slot_at, tally_name
    ON CONFLICT (timer_namespace, slot_at, tally_name) DO UPDATE SET tally_amount = timer_tallies.tally_amount + excluded.tally_amount
  )
  SELECT (SELECT count(*) FROM taken) = ${ROWS_MAX} OR coalesce((SELECT sum(added) FROM entries), 0) >= $1`

export class TallyLog {
  readonly #connections: Connections
  readonly #logger: Logger | null
  #commits = 0
  #folding: Promise<void> | null = null
  #restUntil = 0
  #entriesMax = ENTRIES_MAX

  constructor(connections: Connections, logger: Logger | null) {
    this.#connections = connections
    this.#logger = logger
  }

  /** After a commit. True when there may be enough to fold. */
  added(): boolean {
    return ++this.#commits >= FOLD_AFTER_COMMITS && this.#folding === null && this.#isRested
  }

  /** Unless it is too early for it. Never rejects: what is not folded is counted all the same, and taken the next time. */
  async fold(): Promise<void> {
    if (this.#folding === null && this.#isRested) this.#folding = this.#foldAll().finally(() => (this.#folding = null))
    await this.#folding
  }

  /** What is being folded ends; nothing more is begun. */
  stop(): void {
    this.#restUntil = Infinity
  }

  get #isRested(): boolean {
    return systemClock.monotonic() >= this.#restUntil
  }

  async #foldAll(): Promise<void> {
    this.#commits = 0
    let tookMs = 0
    for (let folds = 0, isFull = true; isFull && folds < FOLDS_AT_ONCE && this.#isRested; folds++) {
      const startedAt = systemClock.monotonic()
      isFull = await this.#foldSome()
      tookMs = systemClock.monotonic() - startedAt
    }
    if (this.#isRested) this.#restUntil = systemClock.monotonic() + tookMs * REST_FACTOR
  }

  /** Whether there may be more. */
  async #foldSome(): Promise<boolean> {
    try {
      const [row] = await this.#connections.write({ name: 'fold-tallies', text: FOLD_SQL, values: [this.#entriesMax] })
      this.#entriesMax = Math.min(this.#entriesMax * 2, ENTRIES_MAX)
      return (row![0] as unknown) === true
    } catch (error) {
      // It may have taken too long.
      this.#entriesMax = Math.max(Math.floor(this.#entriesMax / 2), ENTRIES_MIN)
      this.#logger?.warn({ err: error }, 'could not add up what commits have counted; trying again later')
      return false
    }
  }
}
