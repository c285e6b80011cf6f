import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, createOf, FAILED, NOW, specOf } from '../../core/rules/command.fixture.ts'
import { decide } from '../../core/rules/decide.ts'
import { stepAtDue } from '../../core/rules/due/due-step.ts'
import { settleRunning } from '../../core/rules/running/settle-running.ts'
import { parseSchedule } from '../../core/time/schedule.ts'
import { Overlap } from '../../core/timer/timer.ts'
import type { JsonText } from '../../core/timer/timer.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { endLine, headerLine, parseLine, timerLine } from './timer-file.ts'

const HEADER = { program: '1.2.3', source: 'sqlite', exportedAt: '2030-01-01T00:00:00Z', timers: 3 }
const good = JSON.parse(timerLine(sampleTimer())) as Record<string, unknown>

function faultOf(line: unknown): string {
  const parsed = parseLine(typeof line === 'string' ? line : JSON.stringify(line))
  assert.equal(parsed.type, 'fault')
  return (parsed as { fault: string }).fault
}

test('a line that is no timer says what is wrong with it', () => {
  const { version: _version, ...withoutVersion } = good
  const cases: [unknown, RegExp][] = [
    ['{"namespace": "def', /it is not JSON, as of character 19/],
    [JSON.stringify(good).replace('"status"', 'status'), /it is not JSON/],
    ['[1]', /version|object/],
    ['7', /a JSON object/],
    [withoutVersion, /version/],
    [{ ...good, other: 1 }, /other is not a field/],
    [{ ...good, status: 'sleeping' }, /status must be one of pending, paused/],
    [{ ...good, dueAt: '2030-01-01' }, /dueAt must be integer/],
    [{ ...good, payload: { order: 1 } }, /payload must be string or must be null/],
    [{ ...good, payload: '{"order":' }, /payload is not JSON/],
    [{ ...good, namespace: '../etc' }, /namespace must be/],
    [{ ...good, id: 'a\0b' }, /NUL/],
    [{ ...good, correlationId: 'a\0b' }, /every text of a timer must be .* without NUL/],
    [{ ...good, payload: '"\ud800"' }, /every text of a timer must be well-formed/],
    [{ ...good, target: { type: 'http', url: 'http://a/', headers: { 'x-\0': 'a' } } }, /without NUL/],
    [{ ...good, target: { type: 'ftp' } }, /target/],
    [{ ...good, version: 0 }, /count from 1/],
    [{ ...good, status: 'completed' }, /finishing time/],
    [{ ...good, wakeAt: 5 }, /before the due time/],
    [{ ...good, schedule: 'R/nonsense', anchorAt: 1 }, /nonsense/],
    [{ format: 'duetime timers', formatVersion: 2 }, /version 2 is not known, only 1/],
    [{ format: 'songs', formatVersion: 1 }, /not "songs"/],
    [{ format: 'duetime timers', formatVersion: 1 }, /program/],
    [{ end: true }, /timers/],
  ]
  for (const [line, says] of cases) assert.match(faultOf(line), says)
})

test('a fault never repeats what may be secret', () => {
  const headers = { authorization: 'Bearer s3cret' }
  const secret = { ...good, payload: '"s3cret"', target: { type: 'http', url: 'http://s3cret/', headers } }
  for (const broken of [{ status: 1 }, { wakeAt: 5 }, { target: { type: 'http', headers } }]) {
    assert.doesNotMatch(faultOf({ ...secret, ...broken }), /s3cret/)
  }
  assert.doesNotMatch(faultOf(JSON.stringify(secret).replaceAll('s3cret"', 's3cret')), /s3cret/)
  assert.doesNotMatch(faultOf({ ...secret, payload: 's3cret' }), /s3cret/)
})

test('what was written is read as it was', () => {
  const payload = String.raw`"\u0000 \ud800"` as JsonText
  const timer = sampleTimer({ payload, metadata: String.raw`{"\u0000":"\ud800"}` as JsonText })
  assert.deepEqual(parseLine(timerLine(timer)), { type: 'timer', timer })
  assert.deepEqual(parseLine(endLine(3)), { type: 'end', timers: 3 })
  assert.deepEqual(parseLine(headerLine(HEADER)), {
    type: 'header',
    header: { format: 'duetime timers', formatVersion: 1, ...HEADER },
  })
})

test('everything about a schedule is in the file: its rules, what runs, what was skipped, the zone data', () => {
  const rules = { dst: { gap: 'skip', overlap: 'both' }, startAt: NOW, endAt: NOW + 1e10, maxFirings: 9, spreadMs: 5_000 } as const // oxfmt-ignore
  const schedule = parseSchedule('*/10 * * * *', 'Europe/Berlin', rules)
  const spec = { ...specOf('PT1M'), schedule, catchUp: 3, maxLatenessMs: 60_000, overlap: Overlap.allow }
  const { timer } = decide(null, createOf(spec), at(NOW))
  const begun = stepAtDue(timer, at(timer.dueAt))!
  const tried = settleRunning(begun, begun.running!.firings[0]!.firing, { startedAt: timer.dueAt, durationMs: 5, outcome: FAILED }, at(timer.dueAt + 5))! // oxfmt-ignore
  for (const one of [timer, begun, { ...tried, skipped: 4 }]) {
    assert.notEqual(one.zoned, null)
    assert.deepEqual(parseLine(timerLine(one)), { type: 'timer', timer: one })
  }
})
