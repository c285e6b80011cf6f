// What the service stands on: the version of Node, the clock, the port.

import { access } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Clock } from '../../runtime/clock/clock.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import { VERSION } from '../../runtime/version.ts'
import { measuredText } from '../output/readable-time.ts'
import { Findings } from './finding.ts'
import type { Finding } from './finding.ts'

export function checkNode(): readonly Finding[] {
  const findings = new Findings('program')
  const { node } = process.versions
  findings.ok(`duetime ${VERSION} on Node.js ${node}`)
  return findings.all
}

const SAMPLES = 5
const SAMPLE_EVERY_MS = 60
const STEP_WARN_MS = 20
/** Written by systemd-timesyncd and by chrony's wait service once the time has come from somewhere. */
const SYNCHRONIZED = '/run/systemd/timesync/synchronized'
const RELEASED_AT = Date.UTC(2025, 0, 1)

/** Wall time may be set; the other clock never is. While both run alike, nobody sets it. */
export async function checkClock(clock: Clock): Promise<readonly Finding[]> {
  const findings = new Findings('clock')
  const offsets: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    offsets.push(clock.now() - clock.monotonic())
    await sleep(clock, SAMPLE_EVERY_MS)
  }
  const drift = Math.max(...offsets) - Math.min(...offsets)
  if (clock.now() < RELEASED_AT) findings.fail('the clock is years behind', 'Set it: timers fire by it.')
  if (drift > STEP_WARN_MS) {
    findings.warn(
      `the clock moved by ${measuredText(drift)} within ${SAMPLES * SAMPLE_EVERY_MS} ms`,
      'Something sets it in steps: let chrony or systemd-timesyncd slew it.',
    )
  } else findings.ok('wall clock and monotonic clock run alike')
  const isKnown = await access(SYNCHRONIZED).then(
    () => true,
    () => false,
  )
  if (isKnown) findings.ok('systemd-timesyncd has set the clock from the network')
  else
    findings.skip(
      'whether the clock is set from the network cannot be told here; `chronyc tracking` or `timedatectl` may know',
    )
  return findings.all
}

/** Only where no Duetime answers: then the port must be free for one. */
export async function checkPort(host: string, port: number): Promise<readonly Finding[]> {
  const findings = new Findings('port')
  const code = await new Promise<string | null>((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)))
  })
  const taken = `something that is not Duetime listens on ${host}:${port}`
  if (code === null) findings.ok(`${host}:${port} is free`)
  else if (code === 'EADDRINUSE') findings.fail(taken, 'Choose another PORT, or stop it (`ss -ltnp` names it).')
  else if (code === 'EACCES') findings.fail(`this user may not listen on port ${port}`, 'Choose a PORT from 1024 on.')
  else
    findings.fail(
      `${host}:${port} cannot be listened on: ${code}`,
      'Check HOST: it must be an address of this machine.',
    )
  return findings.all
}
