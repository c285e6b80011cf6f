import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { treeCpuMs } from './process-usage.ts'

const BUSY = 'const until = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < until);'
const PARENT = `
  const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(BUSY)}])
  child.on('exit', () => console.log('ended'))
  setInterval(() => {}, 1_000)
`

test(
  'what a process that has ended took still counts for the one that started it',
  { skip: process.platform !== 'linux' && 'it reads /proc' },
  async (t) => {
    const parent = spawn(process.execPath, ['-e', PARENT])
    t.after(() => parent.kill('SIGKILL'))
    await once(parent.stdout, 'data')
    assert.ok(treeCpuMs(parent.pid!) >= 300)
  },
)
