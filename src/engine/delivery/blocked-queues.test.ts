// A queue that found no slot at its target waits until it is told of a free one. Whoever is told and does not use it must not
// keep that from the others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Namespace } from '../../core/timer/timer.ts'
import { Dispatcher } from './dispatcher.ts'
import type { DispatcherLimits, Job } from './dispatcher.ts'

type NamedJob = Job & { readonly name: string }

/** A dispatcher whose deliveries end when the test says so. */
function setup(limits: DispatcherLimits) {
  const dispatcher = new Dispatcher(limits)
  const waiting = new Set<NamedJob>()
  const inFlight = new Set<NamedJob>()
  const gone = new Set<NamedJob>()
  const add = (name: string, namespace: string, target: string): NamedJob => {
    const job: NamedJob = {
      name,
      tenant: null,
      namespace: namespace as Namespace,
      target,
      start: () => {
        waiting.delete(job)
        if (!gone.has(job)) inFlight.add(job)
        return !gone.has(job)
      },
      isGone: () => gone.has(job),
    }
    waiting.add(job)
    dispatcher.add(job)
    return job
  }
  /** Its outcome waits for the store until `settled`. */
  const answer = (job: NamedJob): void => {
    inFlight.delete(job)
    dispatcher.ended(job, 'answered')
  }
  const drop = (job: NamedJob): void => {
    waiting.delete(job)
    gone.add(job)
  }
  return { dispatcher, waiting, inFlight, add, answer, drop, names: () => [...inFlight].map(({ name }) => name) }
}

test('a queue that is told of a free slot and then swept away leaves it to the next one', () => {
  const { dispatcher, add, answer, drop, names } = setup({ total: 10, perNamespace: 10, perTarget: 1 })
  const first = add('first', 'a', 'host')
  dispatcher.run()
  const told = add('told', 'b', 'host')
  add('next', 'c', 'host')
  dispatcher.run()
  // As many outcomes wait for the store as may: `told` cannot start at once.
  for (let n = 0; n < 19; n++) {
    const job = add('other', 'other', 'other')
    dispatcher.run()
    answer(job)
  }
  answer(first)
  drop(told)
  dispatcher.sweep()
  for (let n = 0; n < 20; n++) dispatcher.settled()
  assert.deepEqual(names(), ['next'])
})

test('a namespace that holds all it may does not keep a free slot of a target from another one', () => {
  const { dispatcher, add, answer, names } = setup({ total: 100, perNamespace: 3, perTarget: 1 })
  const first = add('first', 'a', 'host')
  dispatcher.run()
  for (const [name, namespace] of [
    ['told', 'a'],
    ['next', 'b'],
  ] as const) {
    add(name, namespace, 'host')
    dispatcher.run()
  }
  for (const name of ['hangs 1', 'hangs 2', 'hangs 3']) add(name, 'a', name)
  dispatcher.run()
  answer(first)
  dispatcher.settled()
  assert.deepEqual(names().toSorted(), ['hangs 1', 'hangs 2', 'hangs 3', 'next'])
})

test('whatever comes, ends or is gone in whatever order, nothing waits that has a slot at its target and in its namespace', () => {
  const limits: DispatcherLimits = { total: 1_000, perNamespace: 2, perTarget: 1 }
  const pick = fc.nat({ max: 3 })
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), namespace: pick, target: pick }),
    fc.record({ do: fc.constantFrom('answer' as const, 'drop' as const, 'drop and sweep' as const), which: fc.nat() }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { dispatcher, waiting, inFlight, add, answer, drop } = setup(limits)
      const one = (jobs: Set<NamedJob>, which: number): NamedJob | undefined => [...jobs][which % jobs.size]
      for (const [index, next] of steps.entries()) {
        if (next.do === 'add') add(`${index}`, `n${next.namespace}`, `t${next.target}`)
        else {
          const job = one(next.do === 'answer' ? inFlight : waiting, next.which)
          if (job === undefined) continue
          if (next.do === 'answer') answer(job)
          else drop(job)
          if (next.do === 'answer') dispatcher.settled()
          if (next.do === 'drop and sweep') dispatcher.sweep()
        }
        dispatcher.run()
        const held = (key: 'namespace' | 'target', job: Job): number =>
          [...inFlight].filter((other) => other[key] === job[key]).length
        const idle = [...waiting].filter(
          (job) => held('namespace', job) < limits.perNamespace && held('target', job) < limits.perTarget,
        )
        assert.deepEqual(idle, [])
      }
    }),
    { numRuns: 1_000 },
  )
})
