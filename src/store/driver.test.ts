import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadDriver } from './driver.ts'

const DRIVER = { database: 'Oracle', name: 'oracle-driver' }

test('a driver that is not installed is asked for in one sentence', async () => {
  const missing = 'duetime-has-no-such-driver'
  await assert.rejects(
    loadDriver(DRIVER, () => import(missing)),
    {
      name: 'StoreError',
      retryable: false,
      message: 'Oracle needs the package oracle-driver: npm install oracle-driver',
    },
  )
})

test('a driver that is broken says so itself', async () => {
  await assert.rejects(
    loadDriver(DRIVER, () => Promise.reject(new Error('wrong architecture'))),
    /wrong architecture/,
  )
})
