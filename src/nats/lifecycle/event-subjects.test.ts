import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectFault, subjectMatches } from '../../core/timer/subject.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import { EventSubjects } from './event-subjects.ts'

const eventOf = (namespace: string) => ({ namespace: namespace as Namespace, type: 'fired' as const })

test('whoever may read the subjects of one namespace reads no other namespace there', () => {
  for (const subjects of [
    new EventSubjects('duetime.events.{namespace}.{event}', null),
    new EventSubjects('{event}', 'tenants'),
  ]) {
    const home = subjects.of(eventOf('a')).split('.').slice(0, -1).join('.')
    assert(!subjects.of(eventOf('a.b')).startsWith(`${home}.`))
    assert.notEqual(subjects.of(eventOf('a.b')), subjects.of(eventOf('a_b')))
  }
})

test('namespace and kind stand where the template says', () => {
  assert.equal(
    new EventSubjects('duetime.events.{namespace}.{event}', null).of(eventOf('acme')),
    'duetime.events.acme.fired',
  )
  assert.equal(new EventSubjects('{event}.{namespace}', 'tenants').of(eventOf('acme')), 'tenants.acme.fired.acme')
  assert.equal(new EventSubjects('all', null).of(eventOf('acme')), 'all')
})

test('every subject can be published on, and is among those of the pattern', () => {
  for (const template of ['duetime.events.{namespace}.{event}', '{namespace}', 'one']) {
    for (const prefix of [null, 'tenants']) {
      const subjects = new EventSubjects(template, prefix)
      for (const namespace of ['a', 'A.b-c_d..e', '9.']) {
        const subject = subjects.of(eventOf(namespace))
        assert.equal(subjectFault(subject), null)
        assert(subjectMatches(subjects.pattern, subject), `${subject} in ${subjects.pattern}`)
      }
    }
  }
})
