// What the guide says about calendars is what the service does: its requests are sent, in order, and its answers compared.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parseCalendarEntry } from '../../core/time/calendar/calendar-entry.ts'
import { testServer } from '../test-server.fixture.ts'

async function section(): Promise<string> {
  const guide = await readFile(new URL('../../../docs/guides/schedules.md', import.meta.url), 'utf8')
  return guide.split('\n## Calendars\n')[1]!.split('\n## ')[0]!
}

test('the requests of the guide are answered as it says', async (t) => {
  const { request } = await testServer(t)
  const blocks = [...(await section()).matchAll(/```(http|json)\n([^`]+)```/g)].map(([, kind, text]) => ({
    kind,
    text: text!,
  }))
  assert.deepEqual(blocks.map(({ kind }) => kind), ['http', 'http', 'json']) // oxfmt-ignore
  let answer: Record<string, unknown> = {}
  for (const { kind, text } of blocks) {
    if (kind === 'json') {
      const shown = JSON.parse(text) as Record<string, unknown>
      for (const [field, value] of Object.entries(shown)) assert.deepEqual(answer[field], value, field)
      continue
    }
    const [first, ...lines] = text.split('\n')
    const [method, path] = first!.split(' ') as [string, string]
    const headers = { 'content-type': 'application/json' }
    const { status, json, text: said } = await request(path, { method, headers, body: lines.join('\n') })
    assert.equal(status, 200, said)
    answer = json
  }
})

test('every entry in the table of the guide is one', async () => {
  const entries = [...(await section()).matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, entry]) => entry!),
  )
  const dated = entries.filter((entry) => entry !== 'skip' && entry !== 'move' && entry !== 'onExcluded')
  assert.ok(dated.length >= 8, dated.join())
  for (const entry of dated) assert.ok(parseCalendarEntry(entry, entry))
})
