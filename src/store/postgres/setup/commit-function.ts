// A commit in one round trip: the function in the database that does it, and its parameters. A function rather than one
// statement, because each statement in it sees what was committed before that statement.
//
// The fence: every shard's row is locked, in the order of the shards so that two commits cannot lock each other out,
// and its epoch and owner are read under the lock. A claim that came first is waited for and then seen; one that comes later
// waits until this commit is over. The lock excludes other commits too: one whose connection was lost and that the
// server is still busy with ends before its repetition is judged; one that it has not begun is ended with its session
// (connections.ts).
//
// Nearly always nothing is in the way, so all is written at once, on the condition that each row is as its change expects: to
// look first would cost a fifth of a commit that settles timers. If fewer rows were changed than expected, or there is one
// where a new one goes, that is undone. Then the rows in the way are looked up, parts that have any are left out, and the
// others are written; under the lock nobody else writes a timer of the shard meanwhile. Answered are the fenced parts
// (without a uuid) and the rows in the way, with their cells as JSON in the order of the columns: a column for each would
// have to be described with every answer.
//
// Inserts and updates are statements of their own, so that a commit of one kind does not pay for the other. An update that
// leaves the payload alone neither sends nor rewrites it.
//
// Counters are kept as one row of arrays; adding them to dozens of rows here would be a third of a commit. See counter-log.ts.
// They come added up over all parts, and once more by part for when some parts are left out: most parts count the same.

import { CHANGING_COLUMNS, COLUMN_NAMES, TIMER_COLUMNS } from '../../row/columns.ts'
import type { Column, ColumnName } from '../../row/columns.ts'
import type { ElementType } from '../connection/array-parameters.ts'
import { ARRAY_TYPES, ELEMENT_TYPES } from '../connection/column-types.ts'
import { EVENT_COLUMNS } from '../../sql/questions/outbox.ts'

/**
 * `name` is the parameter's, without `p_`; `column` is what a row made of these is called by. `isShared`: where all rows have the
 * same value it comes once, which is less to send, to parse and to unnest. Not for columns that may be NULL.
 */
type Parameter = {
  readonly name: string
  readonly column: string
  readonly type: ElementType
  readonly isShared?: boolean
}

const parameters = (list: string): readonly Parameter[] =>
  list.split(', ').map((one) => {
    const [name, type] = one.split(' ') as [string, ElementType]
    return { name, column: name, type }
  })

const ofColumns = (columns: readonly Column[], prefix = ''): readonly Parameter[] =>
  columns.map(({ name, type }) => ({ name: prefix + name, column: name, type: ELEMENT_TYPES[type] }))

export const PART_PARAMETERS = parameters('shard int4, epoch int8, owner text')
const SHARED: readonly ColumnName[] = [
  'row_type',
  'timer_namespace',
  'timer_version',
  'timer_status',
  'timer_kind',
  'timer_created_at',
  'timer_document',
]
/** `keeps`: 1 where the payload stays as it is, otherwise NULL. */
export const PUT_PARAMETERS: readonly Parameter[] = [
  ...parameters('part int4, expected int8, keeps int2'),
  ...ofColumns(TIMER_COLUMNS).map((one) => ({ ...one, isShared: SHARED.some((name) => name === one.name) })),
]
export const DELETE_PARAMETERS = parameters('deleted_part int4, deleted_uuid uuid, deleted_version int8')
export const COUNTER_PARAMETERS = parameters(
  'counter_namespace text, counter_slot int8, counter_name text, counter_amount int8',
)
/** `share_counter`: its place among the counters. Without any for a single part. */
export const SHARE_PARAMETERS = parameters('share_part int4, share_counter int4, share_amount int8')
const [, ...EVENT_CELLS] = EVENT_COLUMNS // all but the shard, which is the part's
export const EVENT_PARAMETERS = [...parameters('event_part int4'), ...ofColumns(EVENT_CELLS, 'event_')]
const EVENT_NAMES = EVENT_CELLS.map(({ name }) => name).join(', ')

const PARAMETERS = [
  ...PART_PARAMETERS,
  ...PUT_PARAMETERS,
  ...DELETE_PARAMETERS,
  ...COUNTER_PARAMETERS,
  ...SHARE_PARAMETERS,
  ...EVENT_PARAMETERS,
]

export const COMMIT_SQL = `
  SELECT part, missed, existing FROM timers_commit_1(${PARAMETERS.map((_, index) => `$${index + 1}`).join(', ')})`

/** As a FROM item, with the names of the parameters for its columns. */
function rowsOf(given: readonly Parameter[], alias: string): string {
  return `unnest(${given.map(({ name }) => `p_${name}`).join(', ')}) AS ${alias} (${given.map(({ column }) => column).join(', ')})`
}

const CELLS = COLUMN_NAMES.map((name) =>
  name === 'timer_uuid' ? `translate(there.timer_uuid::text, '-', '')` : `there.${name}`,
)

/** The cell of a row of `put`. */
function put(name: ColumnName): string {
  return SHARED.includes(name) ? `coalesce(put.${name}, p_${name}[1])` : `put.${name}`
}

const CHANGES = CHANGING_COLUMNS.map((name) => {
  if (name === 'timer_payload')
    return 'timer_payload = CASE keeps WHEN 1 THEN timers.timer_payload ELSE put.timer_payload END'
  return `${name} = ${put(name)}`
})

export const COMMIT_FUNCTION = `
CREATE FUNCTION timers_commit_1 (
  ${PARAMETERS.map(({ name, type }) => `p_${name} ${ARRAY_TYPES[type]}[]`).join(',\n  ')}
) RETURNS TABLE (part integer, missed uuid, existing json)
LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  locked_shards integer[];
  locked_epochs bigint[];
  locked_owners text[];
  writable integer[];
  missed_parts integer[] := '{}';
  all_writable boolean;
  written bigint;
  miss record;
  there timers;
BEGIN
  SELECT array_agg(shard_id), array_agg(shard_epoch), array_agg(shard_owner) INTO locked_shards, locked_epochs, locked_owners
  FROM (
    SELECT shard_id, shard_epoch, shard_owner FROM timers
    WHERE shard_id = ANY (p_shard) AND row_type = 1
    ORDER BY shard_id
    FOR NO KEY UPDATE
  ) AS shard;

  -- Parts come in the order of their shards.
  all_writable := coalesce(locked_shards = p_shard AND locked_epochs = p_epoch AND locked_owners = p_owner, false);
  IF NOT all_writable THEN
    SELECT coalesce(array_agg(one), '{}') INTO writable
    FROM generate_subscripts(p_shard, 1) AS one
    WHERE locked_epochs[array_position(locked_shards, p_shard[one])] = p_epoch[one]
      AND locked_owners[array_position(locked_shards, p_shard[one])] = p_owner[one];
    RETURN QUERY
    SELECT one, NULL::uuid, NULL::json FROM generate_subscripts(p_shard, 1) AS one WHERE one <> ALL (writable);
  END IF;

  FOR attempt IN CASE WHEN all_writable THEN 1 ELSE 2 END .. 2 LOOP
    IF attempt = 2 THEN
      writable := coalesce(writable, ARRAY(SELECT generate_subscripts(p_shard, 1)));
      FOR miss IN
        SELECT given.part, given.uuid, there
        FROM (
          SELECT part, uuid, version, ${put('timer_namespace')} AS namespace, id
          FROM unnest(p_part, p_timer_uuid, p_expected, p_timer_namespace, p_timer_id) AS put (part, uuid, version, timer_namespace, id)
          UNION ALL
          SELECT *, NULL, NULL FROM unnest(p_deleted_part, p_deleted_uuid, p_deleted_version) AS deleted (part, uuid, version)
        ) AS given
        LEFT JOIN timers AS there ON there.timer_uuid = given.uuid
        WHERE given.part = ANY (writable) AND (
          there.timer_version IS DISTINCT FROM given.version OR there.shard_id <> p_shard[given.part]
          OR there.timer_id <> given.id OR there.timer_namespace <> given.namespace
        )
      LOOP
        there := miss.there;
        part := miss.part;
        missed := miss.uuid;
        existing := CASE WHEN there.timer_uuid IS NOT NULL THEN json_build_array(
          ${CELLS.join(', ')}
        ) END;
        missed_parts := missed_parts || part;
        RETURN NEXT;
      END LOOP;
      SELECT coalesce(array_agg(one), '{}') INTO writable FROM unnest(writable) AS one WHERE one <> ALL (missed_parts);
      all_writable := cardinality(writable) = cardinality(p_shard);
    END IF;

    BEGIN
      IF p_expected IS NULL OR array_position(p_expected, NULL) IS NOT NULL THEN
        INSERT INTO timers (shard_id, ${COLUMN_NAMES.join(', ')})
        SELECT p_shard[part], ${COLUMN_NAMES.map(put).join(', ')}
        FROM ${rowsOf(PUT_PARAMETERS, 'put')}
        WHERE expected IS NULL AND (all_writable OR part = ANY (writable));
      END IF;

      IF p_expected IS NOT NULL THEN
        UPDATE timers SET
          ${CHANGES.join(',\n          ')}
        FROM ${rowsOf(PUT_PARAMETERS, 'put')}
        WHERE timers.timer_uuid = put.timer_uuid AND (all_writable OR put.part = ANY (writable))
          AND timers.timer_version = put.expected AND timers.timer_id = put.timer_id
          AND timers.timer_namespace IS NOT DISTINCT FROM ${put('timer_namespace')}
          AND timers.shard_id IS NOT DISTINCT FROM p_shard[put.part];
        GET DIAGNOSTICS written = ROW_COUNT;
        IF attempt = 1 AND written < cardinality(array_remove(p_expected, NULL)) THEN
          RAISE SQLSTATE 'DT002';
        END IF;
      END IF;

      IF p_deleted_part IS NOT NULL THEN
        DELETE FROM timers USING ${rowsOf(DELETE_PARAMETERS, 'deleted')}
        WHERE timers.timer_uuid = deleted_uuid AND (all_writable OR deleted_part = ANY (writable))
          AND timers.timer_version = deleted_version AND timers.shard_id IS NOT DISTINCT FROM p_shard[deleted_part];
        GET DIAGNOSTICS written = ROW_COUNT;
        IF attempt = 1 AND written < cardinality(p_deleted_uuid) THEN
          RAISE SQLSTATE 'DT002';
        END IF;
      END IF;
      EXIT;
    EXCEPTION WHEN unique_violation OR SQLSTATE 'DT002' THEN
      IF attempt = 2 THEN
        RAISE;
      END IF;
    END;
  END LOOP;

  IF p_counter_name IS NOT NULL AND all_writable THEN
    INSERT INTO timer_counter_log (counter_namespaces, counter_slots, counter_names, counter_amounts)
    VALUES (p_counter_namespace, p_counter_slot, p_counter_name, p_counter_amount);
  ELSIF p_share_part IS NOT NULL THEN
    INSERT INTO timer_counter_log (counter_namespaces, counter_slots, counter_names, counter_amounts)
    SELECT array_agg(p_counter_namespace[counter]), array_agg(p_counter_slot[counter]), array_agg(p_counter_name[counter]), array_agg(amount)
    FROM (
      SELECT share_counter, sum(share_amount)::bigint FROM ${rowsOf(SHARE_PARAMETERS, 'share')}
      WHERE share_part = ANY (writable) GROUP BY share_counter
    ) AS counted (counter, amount)
    HAVING count(*) > 0;
  END IF;

  IF p_event_part IS NOT NULL THEN
    INSERT INTO timer_outbox (shard_id, ${EVENT_NAMES})
    SELECT p_shard[event_part], ${EVENT_NAMES}
    FROM ${rowsOf(EVENT_PARAMETERS, 'event').replace('AS event (', 'WITH ORDINALITY AS event (').replace(/\)$/, ', place)')}
    WHERE all_writable OR event_part = ANY (writable)
    ORDER BY place;
  END IF;
END
$function$;
`
