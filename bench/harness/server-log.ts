// Reads the service's log: it says where it listens, and when something is wrong, what.

import type { ChildProcess } from 'node:child_process'

const START_TIMEOUT_MS = 60_000
const CHARS_KEPT = 2_000

export class ServerLog {
  readonly #child: ChildProcess
  #last = ''
  #onText = () => {}

  constructor(child: ChildProcess) {
    this.#child = child
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#last = (this.#last + text).slice(-CHARS_KEPT)
        this.#onText()
      })
    }
  }

  get last(): string {
    return this.#last
  }

  listeningUrl(): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        clearTimeout(timeout)
        reject(new Error(`the service did not start: ${why}\n${this.#last}`))
      }
      const timeout = setTimeout(() => fail(`nothing after ${START_TIMEOUT_MS / 1_000} s`), START_TIMEOUT_MS)
      this.#child.once('exit', (code, signal) => fail(`it ended (${signal ?? code})`))
      this.#onText = () => {
        const [, url] = /"url":"(http:[^"]+)".*"msg":"listening"/.exec(this.#last) ?? []
        if (url === undefined) return
        clearTimeout(timeout)
        this.#onText = () => {}
        resolve(url)
      }
    })
  }
}
