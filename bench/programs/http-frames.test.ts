import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HttpFrames } from './http-frames.ts'

const MESSAGES = [
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n',
  'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 12\r\n\r\nline\r\n\r\nline',
]

function cut(chunks: readonly string[]): string[] {
  const found: string[] = []
  const frames = new HttpFrames((bytes, start, end) => found.push(bytes.toString('latin1', start, end)))
  for (const chunk of chunks) frames.push(Buffer.from(chunk, 'latin1'))
  return found
}

test('a message without a length is an error, not an endless wait', () => {
  assert.throws(() => cut(['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n']), /no content-length/)
})

test('an unfinished message is not handed on', () => {
  assert.deepEqual(cut([MESSAGES[0]!.slice(0, -1)]), [])
})

test('messages are cut apart wherever the chunks end', () => {
  const stream = MESSAGES.join('')
  assert.deepEqual(cut([stream]), MESSAGES)
  assert.deepEqual(cut(stream.split('')), MESSAGES)
  for (let at = 1; at < stream.length; at++) assert.deepEqual(cut([stream.slice(0, at), stream.slice(at)]), MESSAGES)
})
