// Packages as their users get them: packed, and unpacked where nothing of this repository is around.

import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export const ROOT = join(import.meta.dirname, '..', '..')
const BIN = join(ROOT, 'node_modules', '.bin')

export type Ran = { readonly stdout: string; readonly stderr: string }

const execute = promisify(execFile)

/** Rejects with everything it printed when it fails. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<Ran> {
  // Nothing of the npm that runs the tests may reach the one that is run here, except where the tools are.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))
  const env = { ...Object.fromEntries(inherited), PATH: [BIN, process.env['PATH']].join(delimiter), npm_config_update_notifier: 'false' }
  try {
    return await execute(program, args, { cwd, env })
  } catch (error) {
    const { stdout, stderr } = error as Ran
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error })
  }
}

/** Built from a copy, so that nothing that runs at the same time finds the repository's own build half written. */
export async function packSdk(dir: string): Promise<string> {
  const copy = join(dir, 'repository')
  const isSource = (path: string) => !/[/\\](?:dist|node_modules)(?:[/\\]|$)/.test(path.slice(ROOT.length))
  cpSync(join(ROOT, 'sdks', 'typescript'), join(copy, 'sdks', 'typescript'), { recursive: true, filter: isSource })
  cpSync(join(ROOT, 'tsconfig.json'), join(copy, 'tsconfig.json'))
  return pack(join(copy, 'sdks', 'typescript'), dir)
}

/** The path of the tarball. */
export async function pack(from: string, to: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', to], from)
  return join(to, stdout.trim().split('\n').at(-1)!)
}

/** Installed by npm itself, from the file alone. */
export async function installInto(project: string, tarball: string): Promise<void> {
  mkdirSync(project, { recursive: true })
  await run('npm', ['init', '-y'], project)
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], project)
}

/** The `node` of the machine, which is not the one that this repository brings along. */
export function nodeOfTheMachine(): string | null {
  const places = (process.env['PATH'] ?? '').split(delimiter).filter((place) => !place.includes('node_modules'))
  return places.map((place) => join(place, 'node')).find((path) => existsSync(path)) ?? null
}

export function filesIn(folder: string): string[] {
  return globSync('**/*', { cwd: folder, exclude: (name) => name === 'node_modules' })
    .filter((path) => !isFolder(join(folder, path)))
    .toSorted()
}

function isFolder(path: string): boolean {
  try {
    readdirSync(path)
    return true
  } catch {
    return false
  }
}
