// Programs that tests start. Whatever happens to the test, they are gone when its process is.

import type { ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function endsWithTest<C extends ChildProcess>(child: C): C {
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

const cache = process.env['NODE_COMPILE_CACHE']
/** All that a program of ours gets of the tester's environment: where its compiled sources are, so that it starts sooner. */
export const COMPILE_CACHE: Readonly<Record<string, string>> = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
