// The Node that goes into the executable: the one that runs this script, or the same version for another architecture, as
// npm's registry has it.

import { join } from 'node:path'
import { cached, fillCache } from '../servers/cache.ts'
import { command } from '../servers/install/command.ts'

export async function nodeFor(arch: string): Promise<string> {
  if (arch === process.arch) return process.execPath
  const name = `node-linux-${arch}`
  const version = process.versions.node
  const key = `${name}-${version}`
  await fillCache(key, async (directory) => {
    // Not `npm install`, which refuses packages for another machine.
    await command('npm', ['pack', '--silent', `${name}@${version}`, '--pack-destination', directory])
    await command('tar', ['-xzf', join(directory, `${key}.tgz`), '-C', directory, 'package/bin/node'])
  })
  return cached(key, 'package', 'bin', 'node')
}
