// Every process the bench starts is remembered here and ended, by its own pid, at the latest when the bench ends.

import type { ChildProcess } from 'node:child_process'

const started = new Set<ChildProcess>()

export function killLater(child: ChildProcess): void {
  started.add(child)
  child.once('exit', () => started.delete(child))
}

process.on('exit', () => {
  for (const child of started) child.kill('SIGKILL')
})
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code))
