// Settings in a file `.env` in the working directory, read as `node --env-file` does: what the environment has wins.

import { readFileSync } from 'node:fs'
import util from 'node:util' // whole: an old Node, to which the library has to say that it is old, has no parseEnv

const FILE = '.env'

export class EnvFileError extends Error {
  override readonly name = 'EnvFileError'
}

const names = new Set<string>()

/** Once, before anything asks for a variable. A file that is not there is no fault. */
export function readEnvFile(env: Record<string, string | undefined> = process.env): void {
  for (const [name, value] of Object.entries(util.parseEnv(textOf(FILE)))) {
    if (env[name] !== undefined) continue
    env[name] = value
    names.add(name)
  }
}

/** Where somebody has to look who gave it a wrong value. */
export function placeOf(variable: string): string {
  return names.has(variable) ? FILE : 'environment'
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw new EnvFileError(`${path} in the working directory cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
