import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FewestFirst } from './fewest-first.ts'

type Holder = { readonly name: number; held: number }

test('against a list: the one that holds fewest comes first, and among equals the one that was added first', () => {
  const steps = fc.array(fc.record({ type: fc.constantFrom('add', 'delete', 'change'), pick: fc.nat({ max: 3 }) }), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(steps, (sequence) => {
      const holders: Holder[] = Array.from({ length: 4 }, (_, name) => ({ name, held: 0 }))
      const waiting = new FewestFirst<Holder>()
      let model: Holder[] = []
      for (const [index, { type, pick }] of sequence.entries()) {
        const holder = holders[pick]!
        if (type === 'add') {
          waiting.add(holder)
          if (!model.includes(holder)) model.push(holder)
        } else {
          const wasHere = model.includes(holder)
          assert.equal(waiting.delete(holder), wasHere)
          model = model.filter((one) => one !== holder)
          if (type === 'change') {
            holder.held = Math.max(0, holder.held + (index % 2 === 0 ? 1 : -1))
            if (wasHere) {
              waiting.add(holder)
              model.push(holder)
            }
          }
        }
        assert.equal(waiting.size, model.length)
        const fewest = Math.min(...model.map(({ held }) => held))
        assert.equal(
          waiting.first(),
          model.find(({ held }) => held === fewest),
        )
      }
    }),
  )
})
