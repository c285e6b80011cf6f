// Programs that are run while something is installed: to their end, with what they said in the error when they fail.

import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const OUTPUT_BYTES_MAX = 64 * 2 ** 20
const SAID_CHARS_SHOWN = 2_000

export type CommandOptions = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> }

/** What it wrote to its standard output. */
export function command(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: CommandOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: OUTPUT_BYTES_MAX }
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      const said = `${stdout}${stderr}`.trim().slice(-SAID_CHARS_SHOWN)
      reject(new Error(`${program} ${args.join(' ')} failed (${error.message.split('\n')[0]}):\n${said}`))
    })
  })
}

/** Where on the machine it is; null when it is not there. */
export function programPath(name: string): string | null {
  for (const directory of [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']) {
    try {
      accessSync(join(directory, name), constants.X_OK)
      return join(directory, name)
    } catch {}
  }
  return null
}
