// What a scenario runs on, and what its steps mean.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { TestContext } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { OK, startReceiver } from '../../support/receiver.ts'
import type { Receiver, Reply } from '../../support/receiver.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import type { FaultyProxy } from './faulty-proxy.ts'
import { differences, isSameAnswer, resolved, textOf } from './patterns.ts'
import type { Json } from './patterns.ts'
import { RestartedService, SECRET } from './restarted-service.ts'
import { startRunner } from './runner-process.ts'
import type { Command, RunnerProcess } from './runner-process.ts'
import type { Scenario, Step } from './scenario.ts'

/** What the service answers to these is what the SDK returns, to the last field. */
const MODELLED = [
  'create',
  'get',
  'update',
  'pause',
  'resume',
  'trigger',
  'retry',
  'preview',
  'overview',
  'forecast',
  'testCallback',
]
const SOON_MS = 5_000 // so that it is still to come when the receiver says it, on a machine that does much else

type Known = Map<string, Json>
type CallStep = Extract<Step, { call: string }>

export class ScenarioBench {
  readonly #service: RestartedService
  readonly #proxy: FaultyProxy
  readonly #receiver: Receiver
  readonly #runner: RunnerProcess
  /** By namespace: a late delivery of a scenario before is not the business of this one. */
  readonly #replies: Map<string, Reply[]>
  #scenarios = 0

  static async start(t: TestContext, command: Command): Promise<ScenarioBench> {
    const replies = new Map<string, Reply[]>()
    const service = new RestartedService(t)
    const receiver = await startReceiver(t, ({ body }) => replies.get(body.namespace)?.shift() ?? OK)
    await service.listening
    const proxy = await startFaultyProxy(t, service)
    return new ScenarioBench({ service, proxy, receiver, runner: startRunner(t, command), replies })
  }

  private constructor(parts: {
    readonly service: RestartedService
    readonly proxy: FaultyProxy
    readonly receiver: Receiver
    readonly runner: RunnerProcess
    readonly replies: Map<string, Reply[]>
  }) {
    this.#service = parts.service
    this.#proxy = parts.proxy
    this.#receiver = parts.receiver
    this.#runner = parts.runner
    this.#replies = parts.replies
  }

  async run({ client = {}, steps }: Scenario): Promise<void> {
    const namespace = `scenario-${++this.#scenarios}`
    const known: Known = new Map<string, Json>([
      ['namespace', namespace],
      ['receiver', this.#receiver.url],
      ['secret', SECRET],
      ['soon', new Date(Date.now() + SOON_MS).toISOString()],
    ])
    this.#proxy.faults = []
    this.#proxy.takeRequests()
    const configured = await this.#runner.call('configure', {
      url: this.#proxy.url,
      namespace,
      ...(client as Readonly<Record<string, Json>>),
    })
    assert.ok('value' in configured, `the runner cannot be configured: ${JSON.stringify(configured)}`)
    for (const [index, step] of steps.entries()) {
      try {
        await this.#step(step, known)
      } catch (error) {
        throw new Error(`step ${index + 1}, ${JSON.stringify(step)}: ${(error as Error).message}`, { cause: error })
      }
    }
    assert.equal(this.#proxy.pendingFaults, 0, 'fewer requests came than there were faults for')
  }

  async #step(step: Step, known: Known): Promise<void> {
    if ('call' in step) await this.#call(step, known)
    else if ('faults' in step) this.#proxy.faults = step.faults
    else if ('requests' in step) expectMatch(this.#proxy.takeRequests(), step.requests, known)
    else if ('ask' in step) await this.#ask(step.ask, step, known)
    else if ('receiver' in step) this.#replies.set(textOf(known.get('namespace')!), [...step.receiver])
    else if ('deliver' in step) await this.#deliver(step, known)
    else await this.#deliveries(step.deliveries, step.times, known)
  }

  async #call({ call, as, expect, error, partly = false, ...step }: CallStep, known: Known): Promise<void> {
    const result = await this.#runner.call(call, resolved(step.with ?? {}, known))
    if (error !== undefined) {
      assert.ok('error' in result, `it succeeded with ${JSON.stringify(result)}`)
      expectMatch(result.error, error, known)
      return
    }
    assert.ok('value' in result, `it failed with ${JSON.stringify(result)}`)
    if (as !== undefined) known.set(as, result.value)
    if (expect !== undefined) expectMatch(result.value, expect, known)
    const answer = this.#proxy.lastAnswer
    if (!MODELLED.includes(call) || partly || (answer as { error?: Json } | null)?.error !== undefined) return
    const texts = `${JSON.stringify(result.value)}\nis not all that the service answered:\n${JSON.stringify(answer)}`
    assert.ok(isSameAnswer(result.value, answer), texts)
  }

  /** Not before it is so: what a delivery changes is seen a moment later. */
  async #ask(verb: string, step: { readonly with?: Json; readonly expect?: Json }, known: Known): Promise<void> {
    const namespace = known.get('namespace')!
    const body = { namespace, ...(resolved(step.with ?? {}, known) as Readonly<Record<string, Json>>) }
    const { expect } = step
    if (expect === undefined) {
      const answer = await this.#service.ask(verb, body)
      assert.ok(!('error' in (answer as object)), JSON.stringify(answer))
      return
    }
    await eventually('the answer is as expected', async () => {
      expectMatch(await this.#service.ask(verb, body), expect, known)
      return true
    }).catch((error: Error) => {
      throw new Error(`${error.message}: ${(error.cause as Error | undefined)?.message}`, { cause: error })
    })
  }

  /** As the service would send it. */
  async #deliver(step: Extract<Step, { deliver: string }>, known: Known): Promise<void> {
    const now = new Date().toISOString()
    const about = { namespace: 'default', groupId: 'default', payload: null, executeAt: now, firedAt: now }
    const firing = { ...about, ...(resolved(step.with, known) as Readonly<Record<string, Json>>) }
    const body = JSON.stringify(firing)
    const id = textOf((firing as { readonly deliveryId?: Json }).deliveryId ?? '')
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const hmac = createHmac('sha256', Buffer.from(SECRET.slice('whsec_'.length), 'base64'))
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`,
    }
    const answer = await fetch(textOf(resolved(step.deliver, known)), { method: 'POST', headers, body })
    expectMatch({ status: answer.status, body: (await answer.json()) as Json }, step.expect, known)
  }

  async #deliveries(id: string, times: number, known: Known): Promise<void> {
    const ofTimer = () =>
      this.#receiver.of(id).filter(({ body: { namespace } }) => namespace === known.get('namespace'))
    await eventually(`${times} deliveries of ${id}`, () => ofTimer().length >= times)
    assert.equal(new Set(ofTimer().map(({ deliveryId }) => deliveryId)).size, times)
  }
}

function expectMatch(value: Json, pattern: Json, known: Known): void {
  const found = differences(value, resolved(pattern, known))
  assert.deepEqual(found, [], found.join('\n'))
}
