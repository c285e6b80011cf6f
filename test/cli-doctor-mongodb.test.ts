import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../scripts/servers/server.fixture.ts'
import { systemClock } from '../src/runtime/clock/clock.ts'
import { loadConfig } from '../src/runtime/config/config.ts'
import { parseMongodbUrl } from '../src/runtime/config/databases/mongodb.ts'
import type { MongodbLocation } from '../src/runtime/config/databases/mongodb.ts'
import { emptyDatabase } from '../src/store/mongodb/mongodb-server.fixture.ts'
import { Documents } from '../src/store/mongodb/documents.ts'
import { openMongodbStore } from '../src/store/mongodb/mongodb-store.ts'
import { checkMongodb } from '../src/cli/doctor/databases/check-mongodb.ts'
import { missingActions } from '../src/cli/doctor/databases/mongodb-rights.ts'
import { Findings } from '../src/cli/doctor/finding.ts'

async function findingsAt(location: MongodbLocation, env: Record<string, string> = {}): Promise<string> {
  const findings = new Findings('database')
  await checkMongodb(location, { config: loadConfig({ env }), clock: systemClock }, findings)
  return findings.all.map(({ standing, message }) => `${standing}: ${message}`).join('\n')
}

test('doctor says where MongoDB cannot be reached, without the password', async () => {
  const found = await findingsAt(parseMongodbUrl('mongodb://me:secret@127.0.0.1:9/timers'))
  assert.match(found, /^fail: MongoDB \(database timers at 127\.0\.0\.1:9\): .*ECONNREFUSED/)
  assert.doesNotMatch(found, /secret/)
})

// FerretDB knows roles and does not ask for them, so the lists are as MongoDB documents them.
test('rights are those of the collection, the database or all databases', () => {
  const place = { database: 'timers', collection: 'timers' }
  const needed = ['find', 'insert', 'update']
  const on = (resource: object, ...actions: string[]) => ({ resource, actions })
  const reader = on({ db: 'timers', collection: '' }, 'find', 'listIndexes')
  assert.deepEqual(missingActions([reader], needed, place), ['insert', 'update'])
  const elsewhere = on({ db: 'other', collection: '' }, ...needed)
  const ofServer = on({ cluster: true }, 'insert')
  assert.deepEqual(missingActions([reader, elsewhere, ofServer], needed, place), ['insert', 'update'])
  const ofCollection = on({ db: 'timers', collection: 'timers' }, 'insert')
  const ofAll = on({ db: '', collection: '' }, 'update')
  assert.deepEqual(missingActions([reader, ofCollection, ofAll], needed, place), [])
  assert.deepEqual(missingActions([on({ anyResource: true }, ...needed)], needed, place), [])
})

onServer('ferretdb', (server) => {
  test('doctor tells a database that is not used yet, and one that the service has prepared', async () => {
    const location = emptyDatabase(server())
    const stored = async () => {
      const { client, collection } = await Documents.connect(location, systemClock)
      const documents = await collection.find({ _id: /^store/ }).toArray()
      await client.close()
      return documents
    }
    assert.match(await findingsAt(location), /ok: no service has used the database yet; the first start prepares it/)
    await (await openMongodbStore({ ...location, shards: 4 })).close()
    const before = await stored()
    const found = await findingsAt(location, { PAYLOAD_MAX_BYTES: '14MiB' })
    assert.match(found, /ok: database .* is FerretDB v2\.7/)
    assert.match(found, /ok: this machine’s clock and the database’s agree/)
    assert.match(found, /ok: the user may read and write, and a majority answers/)
    assert.match(found, /ok: its collection has the indexes and 4 shards/)
    assert.match(found, /ok: it takes \d.* with its indexes; the disk of each member is its only limit/)
    assert.deepEqual(await stored(), before)
    assert.match(found, /warn: PAYLOAD_MAX_BYTES is 14/)
  })
})
