// Whether timers are stored whose time was computed with other zone data than the runtime has: stores count them by their data.

import { TallyPrefix } from '../../core/statistics/tallies.ts'
import { zoneDataVersion } from '../../core/time/zone/zone.ts'
import type { Store } from '../../store/store.ts'

export async function hasOtherZoneData(store: Pick<Store, 'tallies'>): Promise<boolean> {
  const { sums } = await store.tallies({ since: null, prefix: TallyPrefix.zoneData })
  const current = TallyPrefix.zoneData + zoneDataVersion()
  return sums.some(({ name, amount }) => name !== current && amount > 0)
}
