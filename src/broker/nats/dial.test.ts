import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { NatsConnection } from '@nats-io/transport-node'
import type { BrokerSettings } from '../../runtime/config/broker.ts'
import { TestAuthority } from '../../targets/http/certificate.fixture.ts'
import { natsServer, needsNats, startNatsServer } from '../../../test/support/nats-server.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { dial, reasonOf } from './dial.ts'

const NO_FILES = { caFile: null, certFile: null, keyFile: null }

async function dialed(t: TestContext, settings: Partial<BrokerSettings>, first = 0): Promise<NatsConnection> {
  const nothing = { servers: [], user: null, password: null, token: null, credentialsFile: null, tls: null }
  const connection = await dial({ ...nothing, ...settings }, { timeoutMs: 5_000, first })
  t.after(() => connection.close())
  return connection
}

async function refusal(t: TestContext, settings: Partial<BrokerSettings>): Promise<string> {
  return dialed(t, settings).then(
    () => assert.fail('it should have been refused'),
    (error: unknown) => reasonOf(error),
  )
}

function filesIn(directory: string) {
  return (name: string, content: string): string => {
    const file = join(directory, name)
    writeFileSync(file, content)
    return file
  }
}

test('what is no file, no certificate or no credentials is said with its name', needsNats, async (t) => {
  const file = filesIn(tempDir(t))
  const authority = new TestAuthority()
  const { cert, key } = authority.issue('localhost')
  const [certFile, keyFile] = [file('cert.pem', cert), file('key.pem', key)]
  const server = await startNatsServer(t, {
    config: `tls: ${JSON.stringify({ cert_file: certFile, key_file: keyFile })}`,
  })
  const servers = [`localhost:${server.port}`]
  const missing = join(tempDir(t), 'Missing.pem')
  for (const kind of ['caFile', 'certFile', 'keyFile'] as const) {
    assert.equal(
      await refusal(t, { servers, tls: { ...NO_FILES, [kind]: missing } }),
      `cannot read ${missing}: there is no such file`,
    )
  }
  assert.equal(await refusal(t, { servers, credentialsFile: missing }), `cannot read ${missing}: there is no such file`)
  const tls = { ...NO_FILES, caFile: file('ca.pem', authority.cert) }
  const swapped = { ...tls, certFile: keyFile, keyFile: certFile }
  assert.match(
    await refusal(t, { servers, tls: swapped }),
    /^NATS_TLS_CERT and NATS_TLS_KEY are not a certificate and its key/,
  )
  assert.match(
    await refusal(t, { servers, tls, credentialsFile: file('a.creds', 'nothing') }),
    /unable to parse credentials/,
  )
})

test('a server that asks for a certificate is shown the one that is configured', needsNats, async (t) => {
  const file = filesIn(tempDir(t))
  const authority = new TestAuthority()
  const { cert, key } = authority.issue('localhost')
  const caFile = file('ca.pem', authority.cert)
  const lines = { cert_file: file('cert.pem', cert), key_file: file('key.pem', key), ca_file: caFile, verify: true }
  const server = await startNatsServer(t, { config: `tls: ${JSON.stringify(lines)}` })
  const servers = [`localhost:${server.port}`]
  const withoutOne = await refusal(t, { servers, tls: { ...NO_FILES, caFile } })
  assert.match(withoutOne, /^the broker (?:refused|cut) .*certificate of this service.*: see NATS_TLS_CERT$/)
  const own = authority.issue('duetime')
  const tls = { caFile, certFile: file('own.pem', own.cert), keyFile: file('own.key', own.key) }
  assert.equal((await dialed(t, { servers, tls })).isClosed(), false)
})

test(
  'of several servers, whichever is there will do, and the last one’s reason is told when none is',
  needsNats,
  async (t) => {
    const [away, there] = [await natsServer(tempDir(t)), await startNatsServer(t)]
    const servers = [`127.0.0.1:${away.port}`, `127.0.0.1:${there.port}`]
    for (const first of [0, 1]) assert.equal((await dialed(t, { servers }, first)).getServer(), servers[1])
    const closed = `127.0.0.1:${(await startNatsServer(t, { config: 'authorization { token: "t0ken" }' })).port}`
    assert.equal(await refusal(t, { servers: [closed, servers[0]!] }), 'connection refused')
    assert.equal(await refusal(t, { servers: [servers[0]!, closed] }), 'the broker refused the credentials')
  },
)
