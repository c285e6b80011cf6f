// The real service, killed and started again on the same file whenever a scenario says so.

import type { TestContext } from 'node:test'
import { cleanUp } from '../../support/cleanup.ts'
import { eventually } from '../../support/eventually.ts'
import { Service } from '../../support/service.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { Json } from './patterns.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export class RestartedService {
  readonly #cwd: string
  #service: Service

  constructor(t: TestContext) {
    this.#cwd = tempDir(t)
    this.#service = this.#spawned()
    cleanUp(t, () => this.#service.kill())
  }

  get url(): string {
    return this.#service.url
  }

  get listening(): Promise<void> {
    return this.#service.listening
  }

  async restart(): Promise<void> {
    await this.#service.kill()
    this.#service = this.#spawned()
    await this.#service.listening
  }

  async ask(verb: string, body: Json): Promise<Json> {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${this.url}/api/v1/timers/${verb}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return (await answer.json()) as Json
  }

  /** Until the timer of this create or change has fired. */
  async finished(body: Json): Promise<void> {
    const { namespace, id, timerId } = body as Readonly<Record<string, Json>>
    const name = { namespace: namespace!, timerId: (timerId ?? id)! }
    const isFinished = async () => ((await this.ask('get', name)) as { status?: string }).status === 'completed'
    await eventually('the timer has fired', isFinished)
  }

  #spawned(): Service {
    return new Service({ cwd: this.#cwd, env: { TIMER_DB_PATH: 'timers.db', WEBHOOK_SECRETS: SECRET } })
  }
}
