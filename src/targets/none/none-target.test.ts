import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { targetConformance } from '../conformance.ts'
import { aFiring } from '../http/delivery.fixture.ts'
import { NoneTarget } from './none-target.ts'

targetConformance('none', {
  accepts: async () => ({
    adapter: new NoneTarget(),
    clock: new ManualClock(),
    firing: aFiring('', { target: { type: 'none' }, protocol: 'none' }),
    arrived: Promise.resolve(),
  }),
})
