// How late calls come on PostgreSQL, beside the floor of the machine.

import type { Bench } from '../harness/bench.ts'
import type { DuetimeServer } from '../harness/duetime-server.ts'
import type { ReceiverResult } from '../programs/receiver.ts'
import { measurement } from '../report/measurement.ts'
import type { Measurement } from '../report/measurement.ts'
import { bareRound, serviceRound } from './lateness.ts'
import type { PostgresParts } from './postgres.ts'

/** With 200,000 stored. */
export async function lateness(bench: Bench, parts: PostgresParts): Promise<Measurement[]> {
  const server = await bench.duetime({ databaseUrl: parts.database.url })
  const rounds: ReceiverResult[] = []
  const bare: ReceiverResult[] = []
  for (let round = 0; round < bench.rounds; round++) {
    bare.push(await bareRound(parts, bench.durationMs(4_000), 100))
    rounds.push(await latenessRound(bench, parts, server, `l${round}x-`))
  }
  const figure = (quantile: 'p50' | 'p99', more: Pick<Parameters<typeof measurement>[0], 'target'>) =>
    measurement({
      scenario: 'postgres',
      what: `lateness ${quantile} at 100/s, 200k stored`,
      unit: 'ms',
      rounds: rounds.map(({ latenessMs }) => latenessMs![quantile]),
      raw: { what: 'setTimeout and a bare HTTP client', rounds: bare.map(({ latenessMs }) => latenessMs![quantile]) },
      ...more,
    })
  return [figure('p50', {}), figure('p99', { target: { atMost: 5 } })]
}

export async function latenessRound(
  bench: Bench,
  parts: PostgresParts,
  server: DuetimeServer,
  name: string,
): Promise<ReceiverResult> {
  const result = await serviceRound(parts, server, {
    durationMs: bench.durationMs(8_000),
    perSecond: 100,
    createsPerSecond: 0,
    name,
  })
  if (result.early > 0) throw new Error(`${result.early} calls came before their time`)
  return result
}
