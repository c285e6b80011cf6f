import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMysqlUrl } from './mysql.ts'

test('a URL that says too little or something unknown is refused, without repeating the password', () => {
  const refused = ['mysql://h/db', 'mysql://u@h', 'mysql:u@h/db', 'postgres://u:hunter2@h/db']
  refused.push('mysql://u:hunter2@h/db?sslmode=require', 'mysql://u:hunter2@h/db?ssl-mode=PREFERRED')
  for (const url of refused) {
    assert.throws(
      () => parseMysqlUrl(url),
      (error: unknown) =>
        error instanceof RangeError && !error.message.includes('hunter2') && error.message.startsWith('a URL'),
      url,
    )
  }
})

test('a URL is read as the tools of MySQL, MariaDB and TiDB write it', () => {
  const plain = { mode: 'disable', caFile: null, certFile: null, keyFile: null }
  const least = { host: 'db', port: 3306, user: 'u', password: null, database: 'd', tls: plain }
  for (const scheme of ['mysql', 'mariadb']) assert.deepEqual(parseMysqlUrl(`${scheme}://u@db/d`), least)
  for (const scheme of ['tidb', 'TiDB']) assert.deepEqual(parseMysqlUrl(`${scheme}://u@db/d`), { ...least, port: 4000 })
  assert.equal(parseMysqlUrl('tidb://u@db:3306/d').port, 3306)
  assert.equal(parseMysqlUrl('mysql://u@db:4000/d').port, 4000)
  assert.equal(parseMysqlUrl('mysql://u@localhost/d?socket=/run/mysqld/mysqld.sock').host, '/run/mysqld/mysqld.sock')
  const { tls } = parseMysqlUrl(
    'mysql://u@h/d?ssl-mode=verify_identity&ssl-ca=/ca.pem&ssl-cert=/me.pem&ssl-key=/me.key',
  )
  assert.deepEqual(tls, { mode: 'verify-full', caFile: '/ca.pem', certFile: '/me.pem', keyFile: '/me.key' })
})
