import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryObjects } from 'node:v8'
import fc from 'fast-check'
import type { Namespace } from '../../core/timer/timer.ts'
import { Dispatcher } from './dispatcher.ts'
import type { DispatcherLimits, Job } from './dispatcher.ts'

/** A dispatcher whose deliveries end when the test says so, and a check of the limits at every start. */
function setup(limits: Partial<DispatcherLimits> = {}) {
  const all: DispatcherLimits = { total: 1_000, perNamespace: 100, perTarget: 100, ...limits }
  const dispatcher = new Dispatcher(all)
  const started: string[] = []
  const inFlight = new Map<string, Job>()
  const gone = new Set<string>()
  const count = (key: 'tenant' | 'namespace' | 'target', value: string): number =>
    [...inFlight.values()].filter((job) => job[key] === value).length

  const addOf =
    (tenant: string | null) =>
    (name: string, namespace: string, target: string, onStart: (job: Job) => boolean = () => true): Job => {
      const job: Job = {
        tenant,
        namespace: namespace as Namespace,
        target,
        start: () => {
          started.push(name)
          if (gone.has(name) || !onStart(job)) return false
          inFlight.set(name, job)
          assert.ok(inFlight.size <= all.total, 'too many in all')
          const others = [...inFlight.values()].filter((other) => other.tenant === tenant)
          assert.ok(
            others.filter((other) => other.namespace === namespace).length <= all.perNamespace,
            `too many of ${namespace}`,
          )
          assert.ok(others.filter((other) => other.target === target).length <= all.perTarget, `too many to ${target}`)
          return true
        },
        isGone: () => gone.has(name),
      }
      dispatcher.add(job)
      return job
    }
  const end = (name: string, how: 'answered' | 'unreachable' = 'answered'): void => {
    const job = inFlight.get(name)!
    inFlight.delete(name)
    dispatcher.ended(job, how)
    dispatcher.settled()
  }
  return { dispatcher, started, inFlight, gone, add: addOf(null), addOf, end, count }
}

test('nothing starts before it is told to run, and no more than the limits allow', () => {
  const { dispatcher, started, add, end } = setup({ total: 2 })
  for (const name of ['1', '2', '3']) add(name, 'a', 't')
  assert.deepEqual([started, dispatcher.waiting], [[], 3])
  dispatcher.run()
  assert.deepEqual([started, dispatcher.waiting, dispatcher.inFlight], [['1', '2'], 1, 2])
  end('1')
  assert.deepEqual([started, dispatcher.waiting, dispatcher.inFlight], [['1', '2', '3'], 0, 2])
})

test('a slot is free when the receiver has answered, but outcomes that the store does not take stop everything', () => {
  const { dispatcher, started, inFlight, add } = setup({ total: 2 })
  for (let n = 0; n < 10; n++) add(`${n}`, 'a', 't')
  dispatcher.run()
  const answer = (): void => {
    const [name, job] = [...inFlight][0]!
    inFlight.delete(name)
    dispatcher.ended(job, 'answered')
  }
  for (let answers = 0; answers < 4; answers++) answer()
  assert.deepEqual(
    [started.length, dispatcher.inFlight],
    [5, 1],
    'four outcomes wait for the store, twice as many as may be in flight',
  )
  answer()
  assert.equal(started.length, 5)
  dispatcher.settled()
  assert.equal(started.length, 5)
  dispatcher.settled()
  assert.deepEqual([started.length, dispatcher.inFlight], [7, 2])
})

test('a job that is not wanted any more takes no slot', () => {
  const { dispatcher, started, add } = setup({ total: 1 })
  for (let n = 0; n < 5; n++) add(`old ${n}`, 'a', 't', () => false)
  add('new', 'a', 't')
  dispatcher.run()
  assert.deepEqual([started.length, dispatcher.inFlight, dispatcher.waiting], [6, 1, 0])
})

test('jobs that are gone do not pile up in queues whose turn never comes', () => {
  const { dispatcher, started, inFlight, gone, add, end } = setup({ perTarget: 1 })
  for (const host of ['dead 1', 'dead 2']) add(host, 'a', host)
  dispatcher.run()
  for (let round = 0; round < 100; round++) {
    for (let n = 0; n < 500; n++) add(`${round}: ${n}`, 'a', `dead ${1 + (n % 2)}`)
    add(`lone ${round}`, 'b', 'dead 1')
    assert.ok(dispatcher.waiting <= 2 * 501 + 1_024, `${dispatcher.waiting} wait`)
    if (round === 99) break
    for (let n = 0; n < 500; n++) gone.add(`${round}: ${n}`)
    gone.add(`lone ${round}`)
  }
  while (inFlight.size > 0) end([...inFlight.keys()][0]!)
  assert.equal(started.filter((name) => !gone.has(name)).length, 2 + 501)
  assert.deepEqual([dispatcher.waiting, dispatcher.known], [0, { namespaces: 0, targets: 0 }])
})

test('a flood in one namespace delays the single job of another by one turn', () => {
  const { dispatcher, started, add, end, inFlight } = setup({ total: 1 })
  for (let n = 0; n < 10_000; n++) add(`a${n}`, 'a', 't')
  dispatcher.run()
  for (let n = 0; n < 3; n++) end([...inFlight.keys()][0]!)
  add('b', 'b', 't')
  const before = started.length
  while (!started.includes('b')) end([...inFlight.keys()][0]!)
  assert.ok(started.length - before <= 2, `after ${started.length - before} turns`)
})

test('namespaces take turns, and so do the targets within one', () => {
  const { dispatcher, started, add, end, inFlight } = setup({ total: 1 })
  for (let n = 0; n < 3; n++) for (const target of ['x', 'y']) add(`a${target}${n}`, 'a', target)
  for (let n = 0; n < 2; n++) for (const namespace of ['b', 'c']) add(`${namespace}${n}`, namespace, 'x')
  dispatcher.run()
  while (inFlight.size > 0) end([...inFlight.keys()][0]!)
  assert.deepEqual(started, ['ax0', 'b0', 'c0', 'ay0', 'b1', 'c1', 'ax1', 'ay1', 'ax2', 'ay2'])
})

test('jobs of one namespace and target start in the order they came in, over thousands', () => {
  const { dispatcher, started, add, end, inFlight } = setup({ total: 3 })
  const names = Array.from({ length: 5_000 }, (_, n) => String(n))
  for (const name of names) add(name, 'a', 't')
  dispatcher.run()
  while (inFlight.size > 0) end([...inFlight.keys()][0]!)
  assert.deepEqual(started, names)
})

test('a job that is over is not kept in memory by those that wait behind it, or that are under way', () => {
  class Large implements Job {
    readonly tenant = null
    readonly namespace = 'a' as Namespace
    readonly target = 't'
    start = () => inFlight.push(this) > 0
    isGone = () => false
  }
  const inFlight: Job[] = []
  const { dispatcher } = setup({ total: 10 })
  const goOnUntil = (waiting: number): void => {
    while (dispatcher.waiting > waiting) {
      dispatcher.ended(inFlight.pop()!, 'answered')
      dispatcher.settled()
    }
  }
  // What the engine of JavaScript holds for a moment, in a register or for a function that it compiles, is no leak.
  const assertFewMoreThan = (wanted: number): void => {
    const kept = queryObjects(Large, { format: 'count' })
    assert.ok(kept >= wanted && kept <= wanted + 3, `${kept} are kept, ${wanted} are wanted`)
  }
  for (let n = 0; n < 900; n++) dispatcher.add(new Large())
  dispatcher.run()
  goOnUntil(10)
  assertFewMoreThan(10 + inFlight.length)
  goOnUntil(0)
  assertFewMoreThan(inFlight.length)
})

test('a namespace at its limit leaves the slots to others', () => {
  const { dispatcher, add, count } = setup({ total: 20, perNamespace: 4 })
  for (let n = 0; n < 50; n++) add(`a${n}`, 'a', `t${n}`)
  for (let n = 0; n < 3; n++) add(`b${n}`, 'b', `t${n}`)
  dispatcher.run()
  assert.deepEqual([count('namespace', 'a'), count('namespace', 'b')], [4, 3])
})

test('a target that never answers is given ever fewer slots, down to one, while others go on', () => {
  const { dispatcher, add, end, inFlight, count, started } = setup({ total: 200, perTarget: 16 })
  for (let n = 0; n < 200; n++) add(`dead${n}`, 'a', 'dead')
  dispatcher.run()
  assert.equal(count('target', 'dead'), 16)
  const firstDead = (): string => [...inFlight.entries()].find(([, { target }]) => target === 'dead')![0]
  for (let n = 0; n < 16; n++) end(firstDead(), 'unreachable')
  for (let n = 0; n < 10; n++) {
    assert.equal(count('target', 'dead'), 1)
    end(firstDead(), 'unreachable')
  }
  for (let n = 0; n < 19; n++) add(`alive${n}`, 'a', 'alive')
  dispatcher.run()
  assert.deepEqual([count('target', 'dead'), count('target', 'alive')], [1, 16])
  assert.ok(started.filter((name) => name.startsWith('dead')).length <= 16 + 11)
})

test('a target that answers again gets its slots back, one by one', () => {
  const { dispatcher, add, end, inFlight } = setup({ perTarget: 4 })
  for (let n = 0; n < 100; n++) add(`${n}`, 'a', 't')
  dispatcher.run()
  for (let n = 0; n < 4; n++) end([...inFlight.keys()][0]!, 'unreachable')
  const sizes: number[] = []
  for (let n = 0; n < 6; n++) {
    sizes.push(inFlight.size)
    end([...inFlight.keys()][0]!)
  }
  assert.deepEqual([...sizes, inFlight.size], [1, 2, 3, 4, 4, 4, 4])
})

test('a sick target is remembered while nothing waits for it, a healthy one is not', () => {
  const { dispatcher, add, end, count } = setup({ perTarget: 4 })
  add('1', 'a', 'sick')
  add('2', 'a', 'healthy')
  dispatcher.run()
  end('1', 'unreachable')
  end('2')
  assert.deepEqual(dispatcher.known, { namespaces: 0, targets: 1 })
  for (let n = 0; n < 9; n++) add(`again ${n}`, 'a', 'sick')
  dispatcher.run()
  assert.equal(count('target', 'sick'), 2)
})

test('not more than so many sick targets are remembered', () => {
  const { dispatcher, add, end } = setup()
  for (let n = 0; n < 10_100; n++) {
    add('job', 'a', `t${n}`)
    dispatcher.run()
    end('job', 'unreachable')
  }
  assert.ok(dispatcher.known.targets <= 10_001, String(dispatcher.known.targets))
})

test('jobs that end while they are being started, and jobs that bring others, are all started once', () => {
  const { dispatcher, started, add } = setup({ total: 1, perNamespace: 1, perTarget: 1 })
  const endAtOnce = (job: Job): boolean => {
    dispatcher.ended(job, 'answered')
    dispatcher.settled()
    return true
  }
  const names = Array.from({ length: 2_000 }, (_, n) => `${n}`)
  // They never count as in flight for the test's own books, since they end before `start` has answered.
  const addNext = (n: number): void => {
    if (n === names.length) return
    const job: Job = {
      tenant: null,
      namespace: 'a' as Namespace,
      target: 't',
      start: () => {
        started.push(names[n]!)
        addNext(n + 1)
        return endAtOnce(job)
      },
      isGone: () => false,
    }
    dispatcher.add(job)
  }
  addNext(0)
  add('last', 'a', 't', () => false)
  dispatcher.run()
  assert.equal(started.length, names.length + 1)
  assert.deepEqual([dispatcher.inFlight, dispatcher.waiting, dispatcher.known], [0, 0, { namespaces: 0, targets: 0 }])
})

test('whatever mix of jobs comes, each is started once, no limit is passed and nothing is left over', () => {
  const steps = fc.array(
    fc.record({
      type: fc.constantFrom('add', 'add', 'end'),
      tenant: fc.nat(2),
      namespace: fc.nat(3),
      target: fc.nat(4),
      pick: fc.nat(),
      isWanted: fc.boolean(),
    }),
    { minLength: 20, maxLength: 150 },
  )
  const limits = fc.record({
    total: fc.integer({ min: 1, max: 8 }),
    perNamespace: fc.integer({ min: 1, max: 5 }),
    perTarget: fc.integer({ min: 1, max: 4 }),
  })
  fc.assert(
    fc.property(limits, steps, (bounds, sequence) => {
      const { dispatcher, started, inFlight, addOf, end } = setup(bounds)
      const waiting = new Map<string, string>()
      const endOne = (pick: number): void =>
        end([...inFlight.keys()][pick % inFlight.size]!, pick % 3 === 0 ? 'unreachable' : 'answered')
      for (const [n, { type, tenant, namespace, target, pick, isWanted }] of sequence.entries()) {
        const name = String(n)
        if (type === 'add') {
          waiting.set(name, `n${namespace}`)
          addOf(tenant === 0 ? null : `k${tenant}`)(
            name,
            `n${namespace}`,
            `t${target}`,
            () => waiting.delete(name) && isWanted,
          )
          if (pick % 2 === 0) dispatcher.run()
        } else if (inFlight.size > 0) endOne(pick)
        assert.deepEqual([dispatcher.inFlight, dispatcher.waiting], [inFlight.size, waiting.size])
      }
      dispatcher.run()
      while (inFlight.size > 0) endOne(0)
      assert.deepEqual(
        [waiting.size, dispatcher.waiting, dispatcher.inFlight, dispatcher.known.namespaces],
        [0, 0, 0, 0],
      )
      const added = sequence.flatMap(({ type }, n) => (type === 'add' ? [String(n)] : []))
      assert.deepEqual(started.toSorted(), added.toSorted())
      assert.ok(dispatcher.known.targets <= 15)
    }),
    { numRuns: 200 },
  )
})

test('a queue that is closed takes no slot and holds nobody up, and goes on when it is opened', () => {
  const { dispatcher, started, add, end } = setup({ total: 1 })
  let isOpen = false
  for (const name of ['1', '2']) Object.assign(add(name, 'a', 'closed'), { isOpen: () => isOpen })
  add('3', 'a', 'open')
  add('4', 'b', 'open')
  dispatcher.run()
  assert.deepEqual([started, dispatcher.inFlight], [['3'], 1])
  end('3')
  end('4')
  assert.deepEqual([started, dispatcher.waiting, dispatcher.inFlight], [['3', '4'], 2, 0])
  assert.equal(dispatcher.isBehind, false)
  isOpen = true
  assert.equal(dispatcher.isBehind, true)
  dispatcher.open()
  end('1')
  assert.deepEqual([started, dispatcher.waiting, dispatcher.started], [['3', '4', '1', '2'], 0, 4])
})

test('a sweep forgets what is gone, also where no turn ever comes', () => {
  const { dispatcher, add } = setup({ total: 1 })
  Object.assign(add('1', 'a', 'closed'), { isOpen: () => false, isGone: () => true })
  Object.assign(add('2', 'b', 'closed'), { isOpen: () => false })
  dispatcher.sweep()
  assert.deepEqual([dispatcher.waiting, dispatcher.known], [1, { namespaces: 1, targets: 1 }])
})

test('however many tenants take all they can get, in however many namespaces and for however many targets, slots stay free', () => {
  for (const greedy of [1, 2, 5, 10, 50]) {
    const { dispatcher, addOf, count } = setup({ total: 1_024 })
    for (let tenant = 0; tenant < greedy; tenant++) {
      const add = addOf(`greedy ${tenant}`)
      for (let n = 0; n < 1_100; n++) add(`${tenant}: ${n}`, `n${tenant}.${n}`, `t${tenant}.${n}`)
    }
    dispatcher.run()
    const free = 1_024 - dispatcher.inFlight
    assert.ok(free >= Math.floor(1_024 / (1 + 4 * greedy)), `${greedy} leave ${free}`)
    assert.ok(
      count('tenant', 'greedy 0') >= Math.floor((4 * 1_024) / (1 + 4 * greedy)),
      `${greedy} hold ${1_024 - free}`,
    )
    addOf('small')('small', 'small', 'small')
    dispatcher.run()
    assert.equal(count('tenant', 'small'), 1)
  }
})

test('namespaces of a tenant that hang leave slots for the others of the same tenant', () => {
  const { dispatcher, add, count } = setup({ total: 1_000, perNamespace: 1_000 })
  for (let n = 0; n < 1_000; n++)
    for (const namespace of ['a', 'b', 'c']) add(`${namespace}${n}`, namespace, `${namespace}${n}`)
  dispatcher.run()
  assert.ok(dispatcher.inFlight > 600, String(dispatcher.inFlight))
  for (let n = 0; n < 50; n++) add(`d${n}`, 'd', `d${n}`)
  dispatcher.run()
  assert.equal(count('namespace', 'd'), 50)
})

test('a tenant neither takes the slots of a target from another tenant nor makes it look dead to it', () => {
  const { dispatcher, addOf, end, inFlight, count } = setup({ perTarget: 4 })
  for (let n = 0; n < 20; n++) addOf('bad')(`bad${n}`, 'bad', 'shared')
  dispatcher.run()
  for (let n = 0; n < 4; n++) end([...inFlight.keys()][0]!, 'unreachable')
  assert.equal(count('tenant', 'bad'), 1)
  for (let n = 0; n < 20; n++) addOf('good')(`good${n}`, 'good', 'shared')
  dispatcher.run()
  assert.equal(count('tenant', 'good'), 4)
})

test('finding the next job looks at a few queues, though 20,000 namespaces wait for targets that hang', () => {
  const { dispatcher, started, addOf, end } = setup({ total: 1_000, perTarget: 2 })
  let looks = 0
  const watched = (job: Job): Job => Object.assign(job, { isOpen: () => ++looks > 0 })
  for (let n = 0; n < 20_000; n++) watched(addOf('greedy')(`g${n}`, `g${n}`, `shared ${n % 100}`))
  for (let n = 0; n < 20_000; n++) watched(addOf(null)(`k${n}`, `k${n}`, `k${n}`))
  dispatcher.run()
  looks = 0
  const before = started.length
  for (let n = 0; n < 1_000; n++) {
    watched(addOf('small')(`s${n}`, 'small', 'small'))
    dispatcher.run()
    end(`s${n}`)
  }
  assert.equal(started.length - before, 1_000)
  assert.ok(looks <= 2_000, `${looks} queues looked at`)
})

test('of queues to one target that has no slot left, each gets its turn when there is one again', () => {
  const { dispatcher, started, add, end, inFlight } = setup({ perTarget: 2 })
  for (let n = 0; n < 300; n++) add(`${n}`, `n${n}`, 'busy')
  dispatcher.run()
  while (inFlight.size > 0) {
    assert.equal(inFlight.size, Math.min(2, 300 - started.length + inFlight.size))
    end([...inFlight.keys()][0]!)
  }
  assert.equal(new Set(started).size, 300)
})
