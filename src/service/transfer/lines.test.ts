import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { linesOf } from './lines.ts'

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

async function textsOf(text: string, size: number, bytesMax = 1_000): Promise<(string | null)[]> {
  const lines = await Array.fromAsync(linesOf(chunksOf(Buffer.from(text), size), bytesMax))
  assert.deepEqual(
    lines.map(({ number }) => number),
    Array.from(lines, (_, index) => index + 1),
  )
  return lines.map(({ bytes }) => bytes?.toString() ?? null)
}

test('a line that is too long is skipped, wherever the chunks end, and the next one is whole', async () => {
  const [long, longest] = ['x'.repeat(21), 'y'.repeat(20)]
  for (const size of [1, 3, 100]) {
    assert.deepEqual(await textsOf(`short\n${long}\n${longest}\nend`, size, 20), ['short', null, longest, 'end'])
  }
})

test('only \\n ends a line: other separators and split characters stay inside', async () => {
  const line = 'a\u2028b\u2029c\rd\u0085e🦊'
  for (const size of [1, 2, 5]) assert.deepEqual(await textsOf(`${line}\n\n${line}\n`, size), [line, '', line])
})

test('lines are the same whatever the chunks are', async () => {
  const pieces = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '🦊') })
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 9 }), async (text, size) => {
      const expected = text.split('\n')
      if (expected.at(-1) === '') expected.pop()
      assert.deepEqual(await textsOf(text, size), expected)
    }),
  )
})
