import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger, partLogger, silentLogger } from './logger.ts'
import type { LoggerOptions } from './logger.ts'

function setup(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  return { lines, logger: createLogger({ logLevel: 'info', logFormat: 'json', destination, ...options }) }
}

test('secrets in fields are redacted, at every depth that is ever logged', () => {
  const { lines, logger } = setup()
  logger.info({ secret: 'hunter2', config: { webhookSecrets: ['hunter2'] } }, 'a')
  logger.info({ headers: { 'x-api-key': 'hunter2', authorization: 'hunter2' } }, 'b')
  logger.info({ req: { headers: { 'x-api-key': 'hunter2', authorization: 'hunter2', accept: 'kept' } } }, 'c')
  assert.equal(lines.length, 3)
  assert.ok(!lines.join('').includes('hunter2'), lines.join(''))
  assert.ok(lines[2]!.includes('kept'))
})

test('a line is one JSON object with an ISO time, the level by name and the part', () => {
  const { lines, logger } = setup()
  partLogger(logger, 'engine').warn({ shard: 3 }, 'shard lost')
  const { time, ...line } = JSON.parse(lines[0]!) as Record<string, unknown>
  assert.deepEqual(line, { level: 'warn', part: 'engine', shard: 3, msg: 'shard lost' })
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('an error keeps its message, stack and cause', () => {
  const { lines, logger } = setup()
  logger.error({ err: new Error('outer', { cause: new Error('disk full') }) }, 'commit failed')
  const { err } = JSON.parse(lines[0]!) as { err: { message: string; stack: string } }
  assert.match(err.message, /outer.*disk full/)
  assert.match(err.stack, /logger\.test/)
})

test('messages under the level are not written', () => {
  const { lines, logger } = setup({ logLevel: 'warn' })
  logger.info('no')
  logger.warn('yes')
  assert.equal(lines.length, 1)
  assert.equal(silentLogger().isLevelEnabled('fatal'), false)
})

test('pretty lines put time, level, part, message and fields on one line, and an error below', () => {
  const { lines, logger } = setup({ logFormat: 'pretty' })
  partLogger(logger, 'engine').info({ shard: 0, owner: 'node a', tags: ['x'] }, 'shard claimed')
  assert.match(lines[0]!, /^\d\d:\d\d:\d\d\.\d{3} info  engine  shard claimed  shard=0 owner="node a" tags=\["x"\]\n$/)
  logger.error({ err: new Error('disk full') }, 'commit failed')
  assert.match(lines[1]!, /^\S+ error commit failed\n {4}Error: disk full\n {4} +at /)
})
