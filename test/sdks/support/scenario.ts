// The scenarios of sdks/conformance as tests, for one SDK: one service, one proxy and one runner for all of them.

import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Reply } from '../../support/receiver.ts'
import { ScenarioBench } from './scenario-bench.ts'
import type { Fault } from './faulty-proxy.ts'
import type { Json } from './patterns.ts'
import type { Command } from './runner-process.ts'
import type { Skip } from './tools.ts'

export type Step =
  | {
      readonly call: string
      readonly with?: Json
      readonly as?: string
      readonly expect?: Json
      readonly error?: Json
      /** The SDK need not return every field of this answer. */
      readonly partly?: boolean
    }
  | { readonly faults: readonly Fault[] }
  | { readonly requests: readonly Json[] }
  | { readonly ask: string; readonly with?: Json; readonly expect?: Json }
  | { readonly receiver: readonly Reply[] }
  | { readonly deliver: string; readonly with: Json; readonly expect: Json }
  | { readonly deliveries: string; readonly times: number }
export type Scenario = { readonly name: string; readonly client?: Json; readonly steps: readonly Step[] }

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'sdks', 'conformance')
const SCENARIO_WITHIN_MS = 300_000 // some kill the service three times

type Options = {
  /** Servers that its receivers run on, beside the one of the runner: with them, every scenario that listens runs once more. */
  readonly frameworks?: Readonly<Record<string, Skip['skip']>>
}

/** All of them, for one runner in each test file. `command` starts it; it may build it first. */
export function conformance(
  command: (t: TestContext) => Command | Promise<Command>,
  { skip }: Skip = { skip: false },
  { frameworks = {} }: Options = {},
): void {
  let bench: ScenarioBench
  before(async (context) => {
    if (skip !== false) return
    const t = context as TestContext
    bench = await ScenarioBench.start(t, await command(t))
  })
  for (const file of globSync('*.json', { cwd: FOLDER }).toSorted()) {
    const scenarios = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as readonly Scenario[]
    suite(basename(file, '.json'), () => {
      for (const scenario of scenarios)
        test(scenario.name, { timeout: SCENARIO_WITHIN_MS, skip }, () => bench.run(scenario))
    })
    const listening = scenarios.filter(({ steps }) => steps.some(isListening))
    for (const [framework, without] of listening.length === 0 ? [] : Object.entries(frameworks)) {
      suite(`${basename(file, '.json')} with ${framework}`, () => {
        for (const scenario of listening.map((one) => onFramework(one, framework)))
          test(scenario.name, { timeout: SCENARIO_WITHIN_MS, skip: skip === false ? without : skip }, () =>
            bench.run(scenario),
          )
      })
    }
  }
}

function isListening(step: Step): boolean {
  return 'call' in step && step.call === 'listen'
}

function onFramework({ steps, ...scenario }: Scenario, framework: string): Scenario {
  const changed = steps.map((step) =>
    'call' in step && isListening(step) ? { ...step, with: { ...(step.with as object), framework } } : step,
  )
  return { ...scenario, steps: changed }
}
