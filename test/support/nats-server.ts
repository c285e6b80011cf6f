// A NATS server of the test's own, with JetStream, on a free loopback port and a directory of its own. It can be killed
// and started again on the same files. Whatever happens to the test, the process is gone afterwards.

import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext, TestOptions } from 'node:test'
import { endsWithTest } from './child-processes.ts'
import { freePort } from './ports.ts'
import { tempDir } from './temp-dir.ts'

const PROGRAM = 'nats-server'
const READY_WITHIN_MS = 60_000

const isInstalled = spawnSync(PROGRAM, ['--version']).status === 0
if (!isInstalled && process.env['CI'] === 'true') {
  throw new Error(`${PROGRAM} is not installed, and CI must not skip its tests: apt-get install ${PROGRAM}`)
}

/** For tests that need the server: says why they are skipped where it is missing. */
export const needsNats: TestOptions = isInstalled
  ? {}
  : { skip: `${PROGRAM} is not installed (apt-get install ${PROGRAM})` }

export type NatsServerOptions = {
  /** Lines of its configuration file besides address, port and JetStream. */
  readonly config?: string
  readonly jetstream?: boolean
}

export class NatsServer {
  readonly port: number
  readonly #configFile: string
  readonly #ownLines: string
  #child: ChildProcess | null = null

  constructor(port: number, { configFile, ownLines }: { configFile: string; ownLines: string }) {
    this.port = port
    this.#configFile = configFile
    this.#ownLines = ownLines
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`
  }

  /** Instead of the lines it was given before; counts from its next start. */
  configure(lines: string): void {
    writeFileSync(this.#configFile, `${this.#ownLines}${lines}\n`)
  }

  async start(): Promise<void> {
    const child = endsWithTest(spawn(PROGRAM, ['-c', this.#configFile], { stdio: ['ignore', 'ignore', 'pipe'] }))
    this.#child = child
    await untilReady(child)
  }

  /** kill -9. Resolves when the process is gone. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'close')
    child.kill(signal)
    await closed
  }
}

export async function startNatsServer(
  t: TestContext,
  { config = '', jetstream = true }: NatsServerOptions = {},
): Promise<NatsServer> {
  const server = await natsServer(tempDir(t), { config, jetstream })
  t.after(() => server.kill())
  await server.start()
  return server
}

/** Not started yet. */
export async function natsServer(
  directory: string,
  { config = '', jetstream = true }: NatsServerOptions = {},
): Promise<NatsServer> {
  const port = await freePort()
  const configFile = join(directory, 'nats.conf')
  const storage = jetstream ? `jetstream { store_dir: ${JSON.stringify(join(directory, 'jetstream'))} }\n` : ''
  const server = new NatsServer(port, { configFile, ownLines: `listen: "127.0.0.1:${port}"\n${storage}` })
  server.configure(config)
  return server
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    const tooLate = setTimeout(
      () => reject(new Error(`${PROGRAM} is not ready after ${READY_WITHIN_MS} ms:\n${said}`)),
      READY_WITHIN_MS,
    )
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000)
      if (!said.includes('Server is ready')) return
      clearTimeout(tooLate)
      resolve()
    })
    child.once('close', () => {
      clearTimeout(tooLate)
      reject(new Error(`${PROGRAM} ended:\n${said}`))
    })
  })
}
