import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readEvents } from './event-stream.ts'

function readerOf(chunks: readonly Uint8Array[]) {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  }).getReader()
}

const EVENTS = [
  { type: 'overview', data: '{"name":"Zeitgeber \u{1F552}"}' },
  { type: 'message', data: 'two\nlines' },
]
const TEXT = `: ping\n\nevent: overview\ndata: ${EVENTS[0]!.data}\n\ndata: two\ndata:lines\nid: 7\n\nevent: nothing\n\ndata: cut off`

test('events come out the same wherever the stream is cut into pieces, and however its lines end', async () => {
  const cuts = fc.uniqueArray(fc.nat(TEXT.length), { maxLength: 8 }).map((places) => places.toSorted((a, b) => a - b))
  await fc.assert(
    fc.asyncProperty(cuts, fc.constantFrom('\n', '\r\n', '\r'), async (places, lineEnd) => {
      const bytes = new TextEncoder().encode(TEXT.replaceAll('\n', lineEnd))
      const chunks = [0, ...places].map((start, index) => bytes.subarray(start, places[index]))
      assert.deepEqual(await Array.fromAsync(readEvents(readerOf(chunks))), EVENTS)
    }),
  )
})

test('whoever stops reading lets go of the stream', async () => {
  let isCanceled = false
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: again\n\n')),
    cancel: () => void (isCanceled = true),
  })
  for await (const { data } of readEvents(stream.getReader())) {
    assert.equal(data, 'again')
    break
  }
  assert.ok(isCanceled)
})
