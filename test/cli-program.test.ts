// The program as a citizen of the shell: help, start-up, pipes, terminals, completion, interrupted exports.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MAIN, NODE_FLAGS, runCli, start } from './support/cli.ts'
import { eventually } from './support/eventually.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const COMMANDS = [
  'serve',
  'dev',
  'create',
  'get',
  'list',
  'update',
  'cancel',
  'trigger',
  'pause',
  'resume',
  'retry',
  'watch',
  'preview',
  'stats',
  'import',
  'export',
  'keys',
  'backup',
  'cluster',
  'doctor',
  'completion',
]

test('every command is in the help, and has a help of its own with examples', async () => {
  const { out, code } = await runCli(['--help'])
  assert.equal(code, 0)
  assert.match(out, /^ {2}6 {2}no server answers there$/m)
  const helps = await Promise.all(COMMANDS.map((command) => runCli([command, '--help'])))
  for (const [index, help] of helps.entries()) {
    assert.match(out, new RegExp(`^ {2}${COMMANDS[index]}[ |]`, 'm'))
    assert.equal(help.code, 0)
    assert.match(help.out, /^(?:Examples|At the prompt):\n {2}\S/m, `help of ${COMMANDS[index]}`)
  }
})

const HEAVY =
  /\/src\/(?:engine|store|http|nats|broker|targets|server)|node_modules\/(?:pg|fastify|@nats-io|undici|pino|yaml)\//

test('help and commands that talk to a server load neither the engine nor a driver', async (t) => {
  const dir = tempDir(t)
  const spy = join(dir, 'spy.mjs')
  writeFileSync(
    spy,
    `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => { process.stderr.write('loaded ' + url + '\\n'); return next(url, context) } })`,
  )
  const env = { DUETIME_URL: 'http://127.0.0.1:1' }
  for (const args of [['--help'], ['list'], ['create', 'in 5m', 'http://x'], ['completion', 'bash']]) {
    const { err } = await runCli(args, { env, nodeFlags: ['--import', spy] })
    const loaded = [...err.matchAll(/^loaded (.*)$/gm)].map(([, url]) => url!)
    assert.ok(
      loaded.some((url) => url.endsWith('src/cli/program.ts')),
      'the spy sees what is loaded',
    )
    assert.deepEqual(
      loaded.filter((url) => HEAVY.test(url)),
      [],
      args.join(' '),
    )
  }
})

async function createMany(url: string, count: number): Promise<void> {
  const timer = { schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/', payload: 'x'.repeat(300) }
  const body = JSON.stringify({ timers: Array.from({ length: count }, () => timer) })
  await fetch(`${url}/api/v1/timers/batch`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

/** Without a terminal for standard input, or bash reads the files of a login. */
function inBash(command: string, cwd = '/'): string {
  const env = { PATH: process.env['PATH'] }
  return execFileSync('bash', ['--norc', '-c', command], {
    encoding: 'utf8',
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

test('a reader that goes away is no crash', async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  await createMany(service.url, 1_000)
  const command = `${DUETIME} list --all -o ndjson --url ${service.url} | head -1; echo "codes \${PIPESTATUS[0]}"`
  assert.match(inBash(`(${command}) 2>&1`), /^\{"id":".*\}\ncodes 0\n$/)
})

/** As a shell is told to run it. */
const DUETIME = `"${process.execPath}" ${NODE_FLAGS.join(' ')} "${MAIN}"`
const hasScript = spawnSync('script', ['--version']).status === 0
if (!hasScript && process.env['CI'] === 'true') {
  throw new Error('script is not installed, and CI must not skip its test: apt-get install bsdutils')
}
const needsScript = hasScript ? {} : { skip: 'script is not installed (apt-get install bsdutils)' }

test('on a terminal a table fits its width and has colours, unless NO_COLOR is set', needsScript, async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  const body = JSON.stringify({
    id: `order-${'x'.repeat(100)}`,
    schedule: 'PT1H',
    callbackUrl: `http://127.0.0.1:9/${'y'.repeat(100)}`,
  })
  await fetch(`${service.url}/api/v1/timers/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const shown = (env: Readonly<Record<string, string>>) => {
    const command = `stty cols 70; ${DUETIME} list --url ${service.url}`
    const onTerminal = { encoding: 'utf8', env: { PATH: process.env['PATH'], TERM: 'xterm', ...env } } as const
    return execFileSync('script', ['-qec', command, '/dev/null'], onTerminal).replaceAll('\r', '')
  }
  assert.ok(shown({}).includes('\u001B[36mpending'))
  const plain = shown({ NO_COLOR: '1' })
  assert.ok(!plain.includes('\u001B'))
  const lines = plain.trimEnd().split('\n')
  assert.equal(lines.length, 2)
  assert.ok(
    lines.every((line) => line.length <= 70),
    plain,
  )
  assert.match(lines[1]!, /^order-x+… +pending +in 59m \d+s .*http:\/\/127[^ ]*…$/)
})

test('an export that is interrupted goes on where it stopped; once a service has written, it begins anew', async (t) => {
  const cwd = tempDir(t)
  const place = { cwd, env: { TIMER_DB_PATH: 'timers.db' } }
  const service = await startService(t, place)
  for (let part = 0; part < 20; part++) await createMany(service.url, 1_000)
  await service.stop()
  await eventually('a database that is quiet', () => Date.now() - statSync(join(cwd, 'timers.db')).mtimeMs > 2_500)
  const interrupted = async () => {
    const exporting = start(t, ['export', 'out.ndjson'], place)
    await eventually(
      'some of it',
      () => existsSync(join(cwd, 'out.ndjson.partial')) && statSync(join(cwd, 'out.ndjson.partial')).size > 500_000,
    )
    return exporting.interrupt()
  }
  assert.match((await interrupted()).err, /Run the same command again/)
  await (await startService(t, place)).stop()
  assert.match((await runCli(['export', 'out.ndjson'], place)).out, /^Exported 20,000 timers to out\.ndjson\. /)
  rmSync(join(cwd, 'out.ndjson'))
  await eventually('a database that is quiet', () => Date.now() - statSync(join(cwd, 'timers.db')).mtimeMs > 2_500)

  const first = await interrupted()
  assert.equal(first.code, 1)
  const [, done] =
    /stopped after (\d+) of 20000 timers\.\nRun the same command again to go on/.exec(first.err) ??
    assert.fail(first.err)
  const second = await runCli(['export', 'out.ndjson'], place)
  assert.equal(second.code, 0, second.err)
  const [, resumed] =
    /^Exported 20,000 timers to out\.ndjson, ([\d,]+) of them before it was interrupted/.exec(second.out) ??
    assert.fail(second.out)
  assert.equal(resumed!.replaceAll(',', ''), done)
  const ids = readFileSync(join(cwd, 'out.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .slice(1, -1)
    .map((line) => (JSON.parse(line) as { id: string }).id)
  assert.equal(new Set(ids).size, 20_000)
  assert.ok(!existsSync(join(cwd, 'out.ndjson.partial')) && !existsSync(join(cwd, 'out.ndjson.progress')))
})

test('completion for bash offers commands, flags and their values', () => {
  const script = execFileSync(process.execPath, [...NODE_FLAGS, MAIN, 'completion', 'bash'], {
    encoding: 'utf8',
    env: {},
  })
  const complete = (...words: readonly string[]): string[] => {
    const line = `COMP_WORDS=(duetime ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`
    const asked = `${script}\n${line}; _duetime; printf '%s\\n' "\${COMPREPLY[@]}"`
    return inBash(asked, join(import.meta.dirname, 'support'))
      .trim()
      .split('\n')
  }
  assert.deepEqual(complete('wat'), ['watch'])
  assert.deepEqual(complete('re').toSorted(), ['reshard', 'resume', 'retry'])
  assert.ok(COMMANDS.every((command) => complete('').includes(command)))
  assert.deepEqual(complete('list', '--st'), ['--status'])
  assert.deepEqual(complete('list', '-o', ''), ['table', 'json', 'ndjson', 'yaml'])
  assert.deepEqual(complete('list', '--limit', '5', '--output', 'y'), ['yaml'])
  assert.deepEqual(complete('keys', ''), ['create', 'hash', 'list', '--help', '-h'])
  assert.deepEqual(complete('keys', 'create', '--per'), ['--permission'])
  assert.deepEqual(complete('serve', '--timer-d'), ['--timer-db-path'])
  assert.deepEqual(complete('import', 'temp'), ['temp-dir.ts'])
  assert.deepEqual(complete('completion', 'z'), ['zsh'])
  assert.deepEqual(complete('list', '--search', ''), [''])
})

test('completion for zsh and fish names every command and flag, and is accepted by the shell where that is installed', async () => {
  for (const shell of ['zsh', 'fish']) {
    const { out, code } = await runCli(['completion', shell])
    assert.equal(code, 0)
    for (const word of [...COMMANDS, shell === 'fish' ? '-l due-before' : '--due-before'])
      assert.ok(out.includes(word), `${shell}: ${word}`)
    if (spawnSync(shell, ['--version']).status !== 0) continue
    const checked = spawnSync(shell, ['-n', '/dev/stdin'], { input: out, encoding: 'utf8' })
    assert.equal(checked.status, 0, checked.stderr)
  }
  assert.equal((await runCli(['completion', 'tcsh'])).code, 2)
})

test('somebody at a terminal is asked before many timers are changed', needsScript, async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  await createMany(service.url, 2)
  const answering = (answer: string) => {
    const options = { encoding: 'utf8', input: answer, env: { PATH: process.env['PATH'], TERM: 'xterm' } } as const
    const { stdout, status } = spawnSync(
      'script',
      ['-qec', `${DUETIME} cancel --all --url ${service.url}`, '/dev/null'],
      options,
    )
    return { shown: stdout.replaceAll('\r', ''), status }
  }
  const refused = answering('n\n')
  assert.match(refused.shown, /Cancel 2 timers\? \[y\/N\][^]*Nothing was changed\.\n/)
  assert.equal(refused.status, 1)
  assert.match(answering('y\n').shown, /2 timers canceled\.\n/)
})
