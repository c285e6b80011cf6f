import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_NAMESPACE, timerIdentity } from '../../core/timer/ids.ts'
import type { TimerId } from '../../core/timer/timer.ts'
import type { Command } from '../../core/rules/command.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import type { JudgedParts } from '../../service/timer-service.ts'
import { JudgedTimers } from './judged-timers.ts'

test('what a command waits for the deciding thread counts as a wait inside the service', async () => {
  const clock = new ManualClock()
  const begun: Command[] = []
  const executor = { begin: (command: Command) => begun.push(command) }
  const timers = new JudgedTimers({ executor, clock } as unknown as JudgedParts)
  const command = { type: 'trigger', ...timerIdentity(DEFAULT_NAMESPACE, 'a' as TimerId) } as const
  const sentAt = clock.now()
  void timers.execute({ command, sentAt })
  await clock.advance(1_500)
  void timers.execute({ command, sentAt })
  void timers.execute({ command: { ...command, waitedMs: 20 }, sentAt })
  assert.deepEqual(
    begun.map(({ waitedMs }) => waitedMs),
    [undefined, 1_500, 1_520],
  )
})
