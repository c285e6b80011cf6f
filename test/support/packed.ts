// Packages as their users get them: packed, and unpacked where nothing of this repository is around.

import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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
  const env = {
    ...Object.fromEntries(inherited),
    PATH: [BIN, process.env['PATH']].join(delimiter),
    npm_config_update_notifier: 'false',
  }
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

/** The service, command line and library; from the sources as they are. */
export async function packDuetime(dir: string): Promise<string> {
  const stage = join(dir, 'stage')
  mkdirSync(stage)
  for (const file of ['package.json', 'README.md', 'LICENSE']) cpSync(join(ROOT, file), join(stage, file))
  const manifest = JSON.parse(readFileSync(join(stage, 'package.json'), 'utf8')) as { scripts: object }
  // npm would build it once more.
  writeFileSync(join(stage, 'package.json'), JSON.stringify({ ...manifest, scripts: {} }))
  const page = join(ROOT, 'web', 'dist')
  if (existsSync(page)) cpSync(page, join(stage, 'web', 'dist'), { recursive: true })
  await run('tsc', ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', join(stage, 'dist')], ROOT)
  return pack(stage, dir)
}

/** The path of the tarball. */
async function pack(from: string, to: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', to], from)
  return join(to, stdout.trim().split('\n').at(-1)!)
}

/** Installed by npm itself, from the file alone. */
export async function installInto(project: string, tarball: string): Promise<void> {
  await npmInstall(project, '--offline', tarball)
}

/** With whatever they depend on, from npm's cache where it has it. */
export async function npmInstall(project: string, ...what: readonly string[]): Promise<void> {
  mkdirSync(project, { recursive: true })
  await run('npm', ['init', '-y'], project)
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...what], project)
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
