// Counters are added up in two steps. A commit leaves its sums as one row of arrays in timer_counter_log, the cheapest
// write there is; now and then a node takes what has gathered there and adds it to timer_counters, where a thousand commits
// share a few dozen rows. Who reads adds both up in one statement, so that nothing is missing and nothing is counted twice at
// any moment.

import { STANDING } from '../../core/statistics/tallies.ts'
import type { Millis } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { COUNTS } from '../counters.ts'
import type { Connections } from './connection/connections.ts'

const FOLD_AFTER_COMMITS = 128
const ROWS_MAX = 256 // with one fold
const ENTRIES_MAX = 20_000 // with one fold, and one row more: about a tenth of a second
const ENTRIES_MIN = 1_000
const FOLDS_AT_ONCE = 8 // one after the other, while there is more than one can take
const REST_FACTOR = 20 // a fold that is slow, over rows that a long transaction keeps from being swept, is made less often
const FORGOTTEN_MAX = 1_000 // counters, with one call

const ENTRIES = `unnest(counter_namespaces, counter_slots, counter_names, counter_amounts)
  AS entry (timer_namespace, slot_at, counter_name, counter_amount)`
const COLUMNS = 'timer_namespace, slot_at, counter_name, counter_amount'

/** The columns of timer_counters, not yet added up, of the counters for which the condition holds. */
export function countersNow(condition: string): string {
  return `(
  SELECT ${COLUMNS} FROM timer_counters WHERE ${condition}
  UNION ALL
  SELECT ${COLUMNS} FROM timer_counter_log CROSS JOIN ${ENTRIES} WHERE ${condition}
) AS counters_now`
}

/** The counts of timers: namespace, name and amount. */
export const COUNTS_NOW = countersNow(`slot_at = ${COUNTS}`)

// Nodes that fold at the same time take different rows. The order keeps them from locking each other out. A namespace is
// known by its counts, so they are entered even when they come to nothing.
const FOLD_SQL = `
  WITH chosen AS MATERIALIZED (
    SELECT id FROM (
      SELECT id, sum(entries) OVER (ROWS UNBOUNDED PRECEDING) - entries AS entries_before
      FROM (SELECT ctid AS id, cardinality(counter_names) AS entries FROM timer_counter_log LIMIT ${ROWS_MAX} FOR UPDATE SKIP LOCKED) AS unlocked
    ) AS counted WHERE entries_before < $1::integer
  ), taken AS MATERIALIZED (
    DELETE FROM timer_counter_log WHERE ctid = ANY (ARRAY(SELECT id FROM chosen))
    RETURNING counter_namespaces, counter_slots, counter_names, counter_amounts
  ), entries AS MATERIALIZED (
    SELECT timer_namespace, slot_at, counter_name, sum(counter_amount)::bigint AS amount, count(*) AS added
    FROM taken CROSS JOIN ${ENTRIES} GROUP BY timer_namespace, slot_at, counter_name
  ), counted AS (
    INSERT INTO timer_counters (${COLUMNS})
    SELECT timer_namespace, slot_at, counter_name, amount FROM entries WHERE amount <> 0 OR slot_at = ${COUNTS}
    ORDER BY timer_namespace, slot_at, counter_name
    ON CONFLICT (timer_namespace, slot_at, counter_name) DO UPDATE SET counter_amount = timer_counters.counter_amount + excluded.counter_amount
  )
  SELECT (SELECT count(*) FROM taken) = ${ROWS_MAX} OR coalesce((SELECT sum(added) FROM entries), 0) >= $1`

/** Counters of long ago, and standing ones that count nothing any more: every hour in which a timer ever woke has left one. */
const FORGET_SQL = `
  WITH forgotten AS (
  DELETE FROM timer_counters AS counter
  USING (
    SELECT known.timer_namespace, slot_at, counter_name
    FROM (SELECT DISTINCT timer_namespace FROM timer_counters WHERE slot_at = ${COUNTS}) AS known
    CROSS JOIN LATERAL (
      SELECT slot_at, counter_name FROM timer_counters
      WHERE timer_namespace = known.timer_namespace AND slot_at >= ${STANDING} AND slot_at < $1
        AND (slot_at > ${STANDING} OR counter_amount = 0)
      LIMIT ${FORGOTTEN_MAX}
    ) AS of_namespace
    LIMIT ${FORGOTTEN_MAX}
  ) AS old
  WHERE counter.timer_namespace = old.timer_namespace AND counter.slot_at = old.slot_at
    AND counter.counter_name = old.counter_name AND (counter.slot_at > ${STANDING} OR counter.counter_amount = 0)
  RETURNING 1
  )
  SELECT count(*) FROM forgotten`

export class CounterLog {
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

  /** True when there may be more. */
  async forget(slotsBefore: Millis): Promise<boolean> {
    const [row] = await this.#connections.write({ name: 'forget', text: FORGET_SQL, values: [slotsBefore] })
    return row![0] === FORGOTTEN_MAX
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
      const [row] = await this.#connections.write({ name: 'fold-counters', text: FOLD_SQL, values: [this.#entriesMax] })
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
