// One timer, whatever contract it was made through: every pair of contracts, one that makes it and one that meets it.
// How it is delivered is the maker's business until somebody replaces the callback.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { Status } from '../core/timer/timer.ts'
import { CONTRACTS } from './contracts/all-contracts.ts'
import { DIALECTS, NAMES, STATUS_WORDS, succeeded } from './dialects.fixture.ts'
import type { Shown } from './dialects.fixture.ts'
import { canMeet, LEAD_MS, setup, UUID } from './one-timer.fixture.ts'
import type { Pair } from './one-timer.fixture.ts'

test('the dialects cover every contract that is served', () => {
  assert.deepEqual(CONTRACTS.map(({ name }) => name).toSorted(), [...NAMES].toSorted())
})

for (const maker of NAMES) {
  for (const other of NAMES) {
    suite(`made through ${maker}, met through ${other}`, () => {
      test(`in every status it is the same, in the words of ${other}`, (t) => isTheSame(t, { maker, other }))
      if (other !== 'platform') test('its id is taken there, too', (t) => isTaken(t, { maker, other }))
      test('canceled there it is canceled here, and never fires', (t) => isCanceled(t, { maker, other }))
      if (DIALECTS[other].change === null) return
      test('changed there it has changed here, and is delivered as before', (t) => isChanged(t, { maker, other }))
      test('with its callback replaced it is delivered the new way', (t) => isRedirected(t, { maker, other }))
    })
  }
}

async function isTheSame(t: TestContext, { maker, other }: Pair): Promise<void> {
  const world = await setup(t)
  for (const { status, key, facts } of await world.makeInEveryStatus({ maker, other })) {
    const word = STATUS_WORDS[status][other]
    const read = await DIALECTS[other].read(world.ask, key)
    if (word === null) {
      assert.equal(read.status, 404)
      continue
    }
    const expected = { ...facts, ...key, status: word }
    assertShows(DIALECTS[other].shown(succeeded(read)), expected)
    if (status === Status.failed) assert.match(read.text, /HTTP 410/, 'why it failed can be read')
    if (DIALECTS[other].list === null) continue
    const listed = await DIALECTS[other].list(world.ask, key, word)
    const found = listed.filter(({ id }) => id === key.id)
    assert.equal(found.length, 1, `${status} in the list of those that are ${word}`)
    assertShows(found[0]!, expected)
  }
}

async function isCanceled(t: TestContext, { maker, other }: Pair): Promise<void> {
  const world = await setup(t)
  const { key } = await world.make({ maker, other })
  succeeded(await DIALECTS[other].cancel(world.ask, key))
  for (const name of NAMES) await world.assertStatus(name, key, Status.canceled)
  const again = await DIALECTS[maker].cancel(world.ask, key)
  assert.equal(again.status, { v1: 409, groups: 404, platform: 400, cycles: 409 }[maker])
  await world.clock.advance(2 * LEAD_MS)
  assert.equal(world.received.length, 0)
}

async function isChanged(t: TestContext, { maker, other }: Pair): Promise<void> {
  const world = await setup(t)
  const { key, facts } = await world.make({ maker, other })
  const changes = { dueAt: world.inMs(2 * LEAD_MS), metadata: { customer: 'c-2' } }
  succeeded(await DIALECTS[other].change!(world.ask, key, changes))
  for (const name of NAMES) {
    if (!canMeet(name, key)) continue
    const shown = DIALECTS[name].shown(succeeded(await DIALECTS[name].read(world.ask, key)))
    assertShows(shown, { ...facts, ...changes, ...key, status: STATUS_WORDS.pending[name]! })
  }
  await world.clock.advance(2 * LEAD_MS - 1)
  assert.equal(world.received.length, 0, 'not at its old time')
  await world.clock.advance(1)
  await world.assertDelivered({ way: maker, key, facts: { ...facts, ...changes } })
}

async function isRedirected(t: TestContext, { maker, other }: Pair): Promise<void> {
  const world = await setup(t)
  const { key, facts } = await world.make({ maker, other })
  const callback = { url: `${facts.url}/new`, payload: ['something', 'else'] }
  succeeded(await DIALECTS[other].change!(world.ask, key, { callback }))
  await world.clock.advance(LEAD_MS)
  await world.assertDelivered({ way: other, key, facts: { ...facts, ...callback } })
}

/** By other parameters, which is where the contracts differ: one replaces the timer, the others leave it as it is. */
async function isTaken(t: TestContext, { maker, other }: Pair): Promise<void> {
  const world = await setup(t)
  const { key, facts } = await world.make({ maker, other }, { key: { namespace: 'default', id: UUID } })
  const wish = { ...facts, dueAt: world.inMs(LEAD_MS / 2), payload: 'another' }
  const made = DIALECTS[other].make(world.ask, key, wish)
  if (other === 'v1') await made
  else await assert.rejects(made, /^AssertionError.*: 409 .*"TIMER_ALREADY_EXISTS"/)
  await world.clock.advance(other === 'v1' ? LEAD_MS / 2 : LEAD_MS)
  await world.assertDelivered(other === 'v1' ? { way: 'v1', key, facts: wish } : { way: maker, key, facts })
}

for (const maker of ['v1', 'cycles'] as const) {
  test(`a cycle made through ${maker} goes on, and ends, in every contract at once`, async (t) => {
    const world = await setup(t)
    const key = { namespace: 'default', id: UUID }
    world.answerAll((response) => void response.end())
    const cycle = {
      v1: { id: UUID, schedule: 'R3/PT1M', callbackUrl: world.url },
      cycles: { timer_id: UUID, duration_or_cycle: 'R3/PT1M', callback_url: world.url },
    }[maker]
    succeeded(await world.ask('POST', maker === 'v1' ? '/api/v1/timers/create' : '/api/v1/timers', cycle))
    for (const iteration of [1, 2, 3]) {
      const dueAt = world.inMs(60_000)
      for (const name of NAMES) {
        const read = succeeded(await DIALECTS[name].read(world.ask, key))
        assert.equal(DIALECTS[name].shown(read).dueAt, dueAt, name)
        if (name !== 'platform')
          assert.match(read.text, new RegExp(`"(iteration|current_iteration)":${iteration}[,}].*`), name)
      }
      await world.clock.advance(60_000)
      await world.settled(iteration)
    }
    for (const name of NAMES) await world.assertStatus(name, key, Status.completed)
  })
}

/** All that is shown is right; what must be shown is the dialect's business. */
function assertShows(shown: Shown, expected: Shown): void {
  const about = Object.fromEntries(Object.keys(shown).map((field) => [field, expected[field as keyof Shown]]))
  assert.deepEqual(shown, about)
}
