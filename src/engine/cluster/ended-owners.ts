// Owners of shards whose processes have surely ended, such as the one in whose place this node was started: nobody need wait for
// their leases.

import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { ShardRow } from '../../store/store.ts'

export type EndedOptions = {
  readonly node: string
  readonly logger: Logger
  readonly hasEnded: (node: string) => Promise<boolean>
}

export async function endedOwners(
  rows: readonly ShardRow[],
  { node, logger, hasEnded }: EndedOptions,
): Promise<ReadonlySet<string>> {
  const owners = new Set(rows.flatMap(({ owner }) => (owner === null || owner === node ? [] : [owner])))
  const ended = new Set<string>()
  await Promise.all(Array.from(owners, async (owner) => (await hasEnded(owner)) && ended.add(owner)))
  if (ended.size > 0) logger.info({ ended: [...ended] }, 'taking over the shards of nodes whose processes have ended')
  return ended
}
