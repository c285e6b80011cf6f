import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { UnorderedList } from './unordered-list.ts'
import type { ListItem } from './unordered-list.ts'

test('against a set: what was added and not removed is in it, once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 9 }), { maxLength: 60 }), (picks) => {
      const items: ListItem[] = Array.from({ length: 10 }, () => ({ place: -1 }))
      const list = new UnorderedList<ListItem>()
      const model = new Set<ListItem>()
      for (const pick of picks) {
        const item = items[pick]!
        if (model.delete(item)) list.remove(item)
        else list.add(item)
        if (item.place >= 0) model.add(item)
        assert.deepEqual(new Set(list), model)
        assert.equal(list.size, model.size)
      }
    }),
  )
})

test('all may be removed while they are looked at', () => {
  const list = new UnorderedList<ListItem>()
  for (let n = 0; n < 5; n++) list.add({ place: -1 })
  for (const item of list) list.remove(item)
  assert.equal(list.size, 0)
})
