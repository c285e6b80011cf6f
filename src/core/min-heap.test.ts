import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MinHeap } from './min-heap.ts'

test('an empty heap has nothing to give, before and after use', () => {
  const heap = new MinHeap<number>((a, b) => a - b)
  assert.deepEqual([heap.peek(), heap.pop(), heap.size], [undefined, undefined, 0])
  heap.push(1)
  assert.deepEqual([heap.pop(), heap.pop(), heap.peek(), heap.size], [1, undefined, undefined, 0])
})

test('whatever is pushed and popped in whatever order, the smallest comes out first', () => {
  const steps = fc.array(fc.option(fc.integer({ min: 0, max: 20 }), { freq: 3 }), { minLength: 10, maxLength: 200 })
  fc.assert(
    fc.property(steps, (pushes) => {
      const heap = new MinHeap<number>((a, b) => a - b)
      let sorted: number[] = []
      for (const value of pushes) {
        if (value === null) assert.equal(heap.pop(), sorted.shift())
        else {
          heap.push(value)
          sorted = [...sorted, value].toSorted((a, b) => a - b)
        }
        assert.deepEqual([heap.size, heap.peek()], [sorted.length, sorted[0]])
      }
      assert.deepEqual(
        sorted.map(() => heap.pop()),
        sorted,
      )
    }),
  )
})
