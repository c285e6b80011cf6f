// The changes of a commit by their fences, each of which is a part of it.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'

type Fenced = { readonly shard: ShardId; readonly epoch: Epoch }
type Group<Member> = Fenced & { readonly members: Member[] }

/** One part per shard and epoch, in the order of arrival. */
export function byFence<Member extends Fenced>(batch: readonly Member[]): Group<Member>[] {
  const groups: Group<Member>[] = []
  const ofShard = new Map<ShardId, Group<Member>>()
  for (const pending of batch) {
    const { shard, epoch } = pending
    let group = ofShard.get(shard)
    // A shard that has just come back has changes of two epochs.
    if (group !== undefined && group.epoch !== epoch)
      group = groups.find((one) => one.shard === shard && one.epoch === epoch)
    if (group === undefined) {
      group = { shard, epoch, members: [] }
      groups.push(group)
      ofShard.set(shard, group)
    }
    group.members.push(pending)
  }
  return groups
}
