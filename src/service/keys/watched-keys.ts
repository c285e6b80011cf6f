// Keys from a file that may change while the service runs. It is looked at once a second and on demand: one `stat`
// costs nothing, and sees what file system events miss (mounted secrets, network drives, a file put in another's
// place). A file that cannot be used changes nothing: the keys that were good stay, and the log says what is wrong.

import { readFile, stat } from 'node:fs/promises'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { KeysFileError, parseKeyEntries } from './key-entries.ts'
import type { KeyRing } from './key-ring.ts'

const LOOK_AGAIN_MS = 1_000

export type WatchedKeysOptions = {
  readonly path: string
  readonly ring: KeyRing
  readonly clock: Clock
  readonly logger: Logger
}

export class WatchedKeys {
  readonly #options: WatchedKeysOptions
  /** What `stat` said when the file was last read, and what was in it. */
  #seen = ''
  #text: string | null = null
  /** Two changes within one tick of the file system's clock look like one, so a file that changed is read once more. */
  #readAgain = false
  #problem = ''
  #cancel: Cancel = () => {}
  #looking: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: WatchedKeysOptions) {
    this.#options = options
  }

  /** The first time. Throws a KeysFileError when the file cannot be used: nothing may start with other keys than were meant. */
  async load(): Promise<void> {
    await this.#read(await this.#state())
  }

  start(): void {
    this.#lookLater()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#looking
  }

  /** Reads the file now, changed or not. */
  reload(): Promise<void> {
    this.#readAgain = true
    return this.#look()
  }

  #lookLater(): void {
    if (this.#stopped) return
    this.#cancel = this.#options.clock.after(LOOK_AGAIN_MS, () => void this.#look().then(() => this.#lookLater()))
  }

  /** One look after the other, so that an older text never follows a newer one. Never rejects. */
  #look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#lookNow())
    return this.#looking
  }

  async #lookNow(): Promise<void> {
    try {
      const state = await this.#state()
      if (state !== this.#seen || this.#readAgain) await this.#read(state)
      this.#problem = ''
    } catch (error) {
      this.#complain(error)
    }
  }

  async #read(state: string): Promise<void> {
    const { path, ring, logger } = this.#options
    this.#readAgain = state !== this.#seen
    const text = await readFile(path, 'utf8').catch((error: unknown) => Promise.reject(unreadable(path, error)))
    this.#seen = state
    if (text === this.#text) return
    ring.replace(parseKeyEntries(text, path))
    this.#text = text
    const fields = { keys: ring.size, path }
    if (ring.size === 0) logger.warn(fields, 'there is no key: every request that needs one is refused')
    else logger.info(fields, 'keys read')
  }

  async #state(): Promise<string> {
    const { path } = this.#options
    const { ino, size, mtimeNs } = await stat(path, { bigint: true }).catch((error: unknown) =>
      Promise.reject(unreadable(path, error)),
    )
    return `${ino} ${size} ${mtimeNs}`
  }

  /** Once for each thing that is wrong, not once a second. */
  #complain(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error)
    if (problem !== this.#problem)
      this.#options.logger.error({ problem }, 'the keys file cannot be used; the keys read before stay valid')
    this.#problem = problem
  }
}

function unreadable(path: string, error: unknown): KeysFileError {
  return new KeysFileError(path, [`it cannot be read: ${(error as Error).message}`], { cause: error })
}
