import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, loadConfig } from './config.ts'

type Environment = Readonly<Record<string, string>>

const brokerOf = (env: Environment) => loadConfig({ env }).broker

function problemsOf(env: Environment): readonly string[] {
  try {
    loadConfig({ env })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('a URL that is none of a NATS server is refused without being repeated', () => {
  const wrong = [
    'http://secret@host',
    'nats://',
    'nats://host/path',
    'nats://host?x=1',
    'nats://host:99999',
    'nats://u:a@one,nats://u:b@two',
  ]
  for (const url of wrong) {
    const [problem] = problemsOf({ NATS_URL: url })
    assert.match(problem ?? 'none', /^NATS_URL=\*\*\* \(environment\): must be /, url)
  }
})

test('the broker is named once, and its details need a place', () => {
  assert.match(problemsOf({ NATS_URL: 'nats://a', NATS_HOST: 'b' })[0]!, /Set one of them/)
  assert.match(problemsOf({ TIMER_BROKER_URL: 'nats://a', NATS_URL: 'nats://a' })[0]!, /Set one of them/)
  assert.match(problemsOf({ NATS_USER: 'me' })[0]!, /nothing says where/)
  assert.match(problemsOf({ NATS_TLS_CA: 'ca.pem' })[0]!, /nothing says where/)
  assert.match(problemsOf({ NATS_HOST: 'a', NATS_PASSWORD: 'x' })[0]!, /needs NATS_USER/)
  assert.match(problemsOf({ NATS_HOST: 'a', NATS_TLS_CERT: 'x.pem' })[0]!, /go together/)
})

test('without a place there is no broker', () => {
  assert.equal(brokerOf({}), null)
  assert.equal(brokerOf({ NATS_PORT: '4333' }), null)
})

test('every way to say where the broker is comes down to the same', () => {
  const plain = {
    servers: ['nats.example:4222'],
    user: null,
    password: null,
    token: null,
    credentialsFile: null,
    tls: null,
  }
  for (const env of [
    { NATS_URL: 'nats://nats.example' },
    { NATS_URL: 'nats.example:4222' },
    { TIMER_BROKER_URL: 'nats://nats.example:4222' },
    { NATS_HOST: 'nats.example' },
    { NATS_HOST: 'nats.example', NATS_PORT: '4222' },
  ]) {
    assert.deepEqual(brokerOf(env), plain)
  }
  assert.deepEqual(brokerOf({ NATS_HOST: '::1', NATS_PORT: '1' })?.servers, ['[::1]:1'])
  assert.deepEqual(brokerOf({ NATS_URL: 'nats://one:1, nats://two:2' })?.servers, ['one:1', 'two:2'])
})

test('credentials come with the URL or by themselves', () => {
  const credentials = (env: Environment) => [brokerOf(env)?.user, brokerOf(env)?.password, brokerOf(env)?.token]
  assert.deepEqual(credentials({ NATS_URL: 'nats://me:p%40ss@host' }), ['me', 'p@ss', null])
  assert.deepEqual(credentials({ NATS_URL: 'nats://s3cret@host' }), [null, null, 's3cret'])
  assert.deepEqual(credentials({ NATS_HOST: 'host', NATS_USER: 'me', NATS_PASSWORD: 'pass' }), ['me', 'pass', null])
  assert.deepEqual(credentials({ NATS_URL: 'nats://host', NATS_TOKEN: 't' }), [null, null, 't'])
})

test('a tls URL, NATS_TLS or certificates ask for encryption', () => {
  const none = { caFile: null, certFile: null, keyFile: null }
  assert.deepEqual(brokerOf({ NATS_URL: 'tls://host' })?.tls, none)
  assert.deepEqual(brokerOf({ NATS_HOST: 'host', NATS_TLS: 'true' })?.tls, none)
  assert.deepEqual(brokerOf({ NATS_HOST: 'host', NATS_TLS_CA: 'ca.pem' })?.tls, { ...none, caFile: 'ca.pem' })
})

test('lifecycle events are off, all, or those that are named; without a broker there is nowhere to send them', () => {
  const kinds = (text: string) =>
    loadConfig({ env: { NATS_URL: 'nats://host', NATS_LIFECYCLE: text } }).natsLifecycle.join(' ')
  assert.match(
    problemsOf({ NATS_LIFECYCLE: 'on' }).join(),
    /^NATS_LIFECYCLE=on \(environment\): asks for events, and nothing says where/,
  )
  assert.throws(
    () => kinds('created,exploded'),
    /NATS_LIFECYCLE=created,exploded .*must be off, on, or a list of created, updated/,
  )
  assert.equal(kinds(''), '')
  assert.equal(kinds('off'), '')
  assert.equal(kinds('ON'), 'created updated fired missed completed failed canceled')
  assert.equal(kinds('failed, created'), 'created failed')
})

test('the subject of lifecycle events is words and placeholders', () => {
  const subject = (text: string) => loadConfig({ env: { NATS_LIFECYCLE_SUBJECT: text } }).natsLifecycleSubject
  for (const wrong of ['a..b', 'a.*', '{id}.a', 'a-{event}', 'a b', '$JS.{event}']) {
    assert.throws(() => subject(wrong), /must be a subject: words/, wrong)
  }
  for (const right of ['one', '{namespace}', 'a.{event}.{namespace}.b-c']) assert.equal(subject(right), right)
  assert.equal(subject(''), 'duetime.events.{namespace}.{event}')
})
