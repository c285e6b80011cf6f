import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMongodbUrl } from './mongodb.ts'

test('a MongoDB URL without host, database or sense is refused with the right form', () => {
  for (const url of [
    'mongodb:',
    'mongodb://',
    'mongodb://host',
    'mongodb://host/',
    'mongodb://host/a.b',
    'mongodb:///db',
  ])
    assert.throws(
      () => parseMongodbUrl(url),
      { name: 'RangeError', message: /mongodb:\/\/user:password@host\/duetime/ },
      url,
    )
})

test('a MongoDB URL that asks for less than a majority on disk, or for reads from others than the primary, is refused', () => {
  for (const option of ['w=1', 'W=0', 'journal=false', 'readPreference=secondary', 'readConcernLevel=local'])
    assert.throws(
      () => parseMongodbUrl(`mongodb://u:secret@host/db?${option}`),
      (error: Error) => {
        assert.match(error.message, /acknowledged timers depend on it/)
        assert.doesNotMatch(error.message, /secret/)
        return true
      },
    )
  parseMongodbUrl('mongodb://host/db?w=majority&journal=true&readPreference=primary&tls=true')
})

test('a MongoDB URL names hosts and database; its credentials are not among them', () => {
  const url = 'mongodb://us%40er:pass@a:27017,b:27018/duetime?replicaSet=rs0&authSource=admin'
  assert.deepEqual(parseMongodbUrl(url), { url, database: 'duetime', hosts: 'a:27017,b:27018' })
  const srv = 'mongodb+srv://cluster.example.net/timers_1'
  assert.deepEqual(parseMongodbUrl(srv), { url: srv, database: 'timers_1', hosts: 'cluster.example.net' })
})
