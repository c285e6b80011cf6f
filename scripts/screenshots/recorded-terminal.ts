// A pseudo terminal (made by `script`) in which commands are typed as users type them, and everything that it shows.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { eventually } from '../../test/support/eventually.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const COLUMNS = 120
const CONTROL_C = '\u0003'

/** A folder in which `duetime` and the examples are found, and which takes the files that they write. */
export function prepareFolder(folder: string): void {
  mkdirSync(join(folder, 'bin'))
  const program = join(folder, 'bin', 'duetime')
  writeFileSync(program, `#!/bin/sh\nexec node "${join(ROOT, 'src', 'main.ts')}" "$@"\n`)
  chmodSync(program, 0o755)
  symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'))
}

export class RecordedTerminal {
  static readonly columns = COLUMNS
  readonly #folder: string
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #output = ''

  /** What is shown as typed is what is run. */
  constructor(command: string, folder: string, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder
    const typed = `stty cols ${COLUMNS} rows 60; printf '\\033[32m$\\033[39m %s\\n' '${command}'; ${command}`
    this.#child = spawn('script', ['-qec', typed, '/dev/null'], {
      cwd: folder,
      env: {
        PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(':'),
        NODE_OPTIONS: '--conditions=@duetime/source',
        TERM: 'xterm',
        TZ: 'Europe/Berlin',
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve))
  }

  /** Resolves with what was found. */
  shows(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(`${String(pattern)} in\n${this.#output}`, () => pattern.exec(this.#output), { withinMs: 30_000 })
  }

  type(text: string): void {
    this.#child.stdin!.write(text)
  }

  interrupt(): void {
    this.type(CONTROL_C)
  }

  /** When the command has ended. The name of this machine and its temporary folder are nobody's business. */
  async end(): Promise<string> {
    await this.#ended
    return this.#output.replaceAll(this.#folder, '/srv/duetime').replaceAll(`node ${hostname()}:`, 'node timers-1:')
  }

  kill(): void {
    this.#child.kill()
  }
}
