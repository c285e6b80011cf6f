import { systemClock } from '../../runtime/clock/clock.ts'
import { brokerConformance } from '../conformance.ts'
import { MemoryBroker } from './memory-broker.ts'

brokerConformance('memory', {}, async () => {
  const broker = new MemoryBroker(systemClock)
  await broker.start()
  return {
    broker,
    request: (message) => broker.request(message),
    disconnect: async () => broker.disconnect(),
    connect: async () => broker.connect(),
  }
})
