import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { ProgressBar } from './progress-bar.ts'

function setup(isTTY: boolean) {
  const lines: string[] = []
  const clock = new ManualClock()
  const bar = new ProgressBar('Importing', clock, {
    isTTY,
    write: (text: string) => lines.push(text.replace('\r\u001B[K', '')),
  })
  return { lines, clock, bar }
}

test('nothing is drawn where nobody looks', () => {
  const { lines, bar } = setup(false)
  bar.update(1, 2)
  bar.end()
  assert.deepEqual(lines, [])
})

test('it shows how far it is and how long it will take, now and then, and goes away', async () => {
  const { lines, clock, bar } = setup(true)
  await clock.advance(1_000)
  bar.update(250, 40_250)
  bar.update(251, 40_250) // too soon to be seen
  await clock.advance(1_000)
  bar.update(20_125, 40_250)
  bar.update(40_250, 40_250)
  bar.end()
  assert.deepEqual(lines, [
    'Importing ░░░░░░░░░░░░░░░░░░░░░░░░ 0% of 40,250 timers, 2 min 40 s left',
    'Importing ████████████░░░░░░░░░░░░ 50% of 40,250 timers, 2 s left',
    'Importing ████████████████████████ 100% of 40,250 timers',
    '',
  ])
})

test('no timers at all are all of them', () => {
  const { lines, bar } = setup(true)
  bar.update(0, 0)
  assert.match(lines[0]!, /100% of 0 timers$/)
})
