// The outbox: events that wait to be published. Never edited once released.

// Numbers come from one sequence for all shards. A commit holds the lock of its shard's row when it draws them and until it
// is over, so within a shard their order is the order of the commits, and none shows up behind one that was read already.
//
// Every row is deleted soon after it was written, so the dead are swept by their number, not by their share.
export const MIGRATION_2 = `
CREATE TABLE timer_outbox (
  event_number bigint GENERATED ALWAYS AS IDENTITY,
  event_at bigint NOT NULL,
  shard_id integer NOT NULL,
  timer_uuid uuid NOT NULL,
  timer_namespace text COLLATE "C" NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_body text NOT NULL,
  PRIMARY KEY (shard_id, event_number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 1);
`
