// The live connection's text, in whatever pieces the network delivers it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EventLines } from '../../web/src/api/sse.ts'
import type { ServerEvent } from '../../web/src/api/sse.ts'

const TEXT =
  ': ping\r\n\r\nevent: overview\ndata: {"a":1}\n\ndata: one\ndata:two\n\nevent: nothing\n\nevent: firing\rdata: ü\r\rdata: never ended'
const EVENTS: readonly ServerEvent[] = [
  { event: 'overview', data: '{"a":1}' },
  { event: 'message', data: 'one\ntwo' },
  { event: 'firing', data: 'ü' },
]

function eventsOf(pieces: readonly string[]): ServerEvent[] {
  const events: ServerEvent[] = []
  const lines = new EventLines((event) => events.push(event))
  for (const piece of pieces) lines.push(piece)
  return events
}

test('comments and unfinished events are not events', () => {
  assert.deepEqual(eventsOf([TEXT]), EVENTS)
})

test('it does not matter where the text is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(TEXT.length), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), TEXT.length]
      const pieces = places.slice(1).map((to, index) => TEXT.slice(places[index], to))
      assert.deepEqual(eventsOf(pieces), EVENTS)
    }),
  )
})
