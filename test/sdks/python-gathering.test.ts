// Calls of the asyncio client that are made at the same time share requests, on the real service: few requests, and an answer or error for each.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pythonTools, runTool, sdkFolder } from '../../scripts/sdks/languages.ts'
import { tempDir } from '../support/temp-dir.ts'
import { startFaultyProxy } from './support/faulty-proxy.ts'
import type { Fault } from './support/faulty-proxy.ts'
import { RestartedService } from './support/restarted-service.ts'
import { skipWithout } from './support/tools.ts'

const PROGRAM = `
import asyncio, json, os
from duetime import AsyncDuetime, DuetimeError

async def code(call):
    try:
        timer = await call
        return "ok" if timer is None else [timer.id, timer.version, timer.payload]
    except DuetimeError as error:
        return error.code

async def main() -> None:
    async with AsyncDuetime(os.environ["DUETIME_URL"]) as client:
        def create(id, payload=None):
            return client.create(id=id, after="PT1H", callback_url="http://127.0.0.1:9/never", payload=payload)
        made = await asyncio.gather(*(code(create(f"t{n}", {"n": n})) for n in range(500)))
        deep = None
        for _ in range(300):
            deep = [deep]
        mixed = await asyncio.gather(
            code(client.update("t0", payload=1)),
            code(client.update("t0", payload=2)),
            code(client.cancel("t0", if_version=3)),
            code(client.update("none", payload=1)),
            code(create("deep", deep)),
            code(client.cancel("t1")),
            code(client.cancel("t1")),
        )
        gone = asyncio.create_task(client.create(id="left", after="PT1H", callback_url="http://127.0.0.1:9/never"))
        beside = asyncio.create_task(code(create("beside")))
        await asyncio.sleep(0)
        gone.cancel()
        print(json.dumps({"made": made, "mixed": mixed, "beside": await beside, "cancelled": (await asyncio.gather(gone, return_exceptions=True))[0].__class__.__name__}))

asyncio.run(main())
`

type Said = {
  readonly made: unknown[]
  readonly mixed: unknown[]
  readonly beside: unknown
  readonly cancelled: string
}

for (const [name, faults] of Object.entries({
  'calls at the same time share requests, and each has its own answer': [],
  // Both meet the creates: the first request has all of them, and nothing else is asked before they have their answers.
  'lost answers of shared requests make no second timer, and no conflict': ['lose answer', 'lose answer'],
} satisfies Record<string, Fault[]>)) {
  test(name, { ...skipWithout('python'), timeout: 120_000 }, async (t) => {
    const service = new RestartedService(t)
    await service.listening
    const proxy = await startFaultyProxy(t, service)
    proxy.faults = faults
    const program = join(tempDir(t), 'program.py')
    writeFileSync(program, PROGRAM)
    const env = { PYTHONPATH: join(sdkFolder('python'), 'src'), DUETIME_URL: proxy.url, PYTHONDONTWRITEBYTECODE: '1' }
    const said = JSON.parse(await runTool(await pythonTools(), [program], { cwd: tempDir(t), env })) as Said
    assert.deepEqual(
      said.made,
      Array.from({ length: 500 }, (_, n) => [`t${n}`, 1, { n }]),
    )
    assert.deepEqual(said.mixed, [
      ['t0', 2, 1],
      ['t0', 3, 2],
      'ok',
      'TIMER_NOT_FOUND',
      'INVALID_INPUT',
      'ok',
      'TIMER_NOT_PENDING',
    ])
    assert.deepEqual([said.beside, said.cancelled], [['beside', 1, null], 'CancelledError'])
    const requests = proxy.takeRequests().length
    assert.ok(requests < 100, `${requests} requests for more than 500 calls`)
  })
}
