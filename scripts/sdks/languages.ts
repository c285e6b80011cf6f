// How the SDK of each language is checked and built with the tools of that language. The tests in test/sdks and the command below use
// the same steps. What the tools need of their registries is kept in node_modules/.cache/duetime-sdks.
//
//   node scripts/sdks/main.ts check python go java

import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type Language = 'python' | 'go' | 'java'

const ROOT = join(import.meta.dirname, '..', '..')
const CACHE = process.env['DUETIME_SDK_TOOLS'] ?? join(ROOT, 'node_modules', '.cache', 'duetime-sdks')
const STATICCHECK = 'honnef.co/go/tools/cmd/staticcheck@v0.8.2'
const OUTPUT_BYTES_MAX = 16 * 1_024 * 1_024

const execute = promisify(execFile)

/** What a language needs on the machine, and how one gets it. */
const NEEDED: Readonly<
  Record<Language, readonly { readonly command: readonly [string, ...string[]]; readonly install: string }[]>
> = {
  python: [
    {
      command: ['python3', '-c', 'import sys, venv, ensurepip; assert sys.version_info >= (3, 11)'],
      install: 'Python 3.11 or newer with venv (apt-get install python3 python3-venv)',
    },
  ],
  go: [{ command: ['go', 'vet', './internal/modzip'], install: 'Go 1.24 or newer (https://go.dev/dl)' }],
  java: [
    { command: ['javac', '-version'], install: 'a JDK, 17 or newer (apt-get install default-jdk-headless)' },
    { command: ['mvn', '--version'], install: 'Maven (apt-get install maven)' },
  ],
}

export function sdkFolder(language: Language | 'typescript'): string {
  return join(ROOT, 'sdks', language)
}

/** What is missing for a language; null when nothing is. */
export function missingTools(language: Language): string | null {
  const missing = NEEDED[language].filter(({ command: [program, ...args] }) => {
    try {
      execFileSync(program, args, { cwd: sdkFolder(language), stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })
  return missing.length === 0 ? null : `needs ${missing.map(({ install }) => install).join(' and ')}`
}

export type RunOptions = { readonly cwd: string; readonly env?: Readonly<Record<string, string>> }

/** Resolves with what it printed; rejects with that when it fails. */
export async function runTool(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: RunOptions,
): Promise<string> {
  try {
    const ran = await execute(program, args, { cwd, env: { ...process.env, ...env }, maxBuffer: OUTPUT_BYTES_MAX })
    return `${ran.stdout}${ran.stderr}`
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error })
  }
}

/** The interpreter of a virtual environment with what checking and building the SDK needs; made once for each list of it. */
export async function pythonTools(): Promise<string> {
  const cwd = sdkFolder('python')
  const list = readFileSync(join(cwd, 'dev-requirements.txt'))
  const folder = join(CACHE, `python-${createHash('sha256').update(list).digest('hex').slice(0, 12)}`)
  const python = join(folder, 'bin', 'python')
  if (existsSync(python)) return python
  // Under another name until it is complete: a run that was interrupted leaves nothing that looks finished.
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(CACHE, { recursive: true })
  await runTool('python3', ['-m', 'venv', unfinished], { cwd })
  await runTool(
    join(unfinished, 'bin', 'python'),
    ['-m', 'pip', 'install', '--quiet', '--requirement', 'dev-requirements.txt'],
    { cwd },
  )
  try {
    renameSync(unfinished, folder)
  } catch {
    rmSync(unfinished, { recursive: true, force: true }) // another process was quicker
  }
  return python
}

export async function staticcheck(): Promise<string> {
  const folder = join(CACHE, 'go')
  const program = join(folder, 'staticcheck')
  if (!existsSync(program))
    await runTool('go', ['install', STATICCHECK], { cwd: sdkFolder('go'), env: { GOBIN: folder } })
  return program
}

/** Type checks, linters and the unit tests of the SDK. */
export const CHECKS: Readonly<Record<Language, () => Promise<void>>> = {
  python: async () => {
    const python = await pythonTools()
    const place = { cwd: sdkFolder('python'), env: { PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' } }
    await runTool(python, ['-m', 'mypy', 'src', 'tests', 'conformance', 'examples'], place)
    await runTool(python, ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests'], place)
  },
  go: async () => {
    const place = { cwd: sdkFolder('go') }
    const unformatted = await runTool('gofmt', ['-l', '.'], place)
    if (unformatted !== '') throw new Error(`gofmt would change ${unformatted.trim()}`)
    await runTool('go', ['vet', './...'], place)
    await runTool(await staticcheck(), ['./...'], place)
    await runTool('go', ['test', './...'], place)
  },
  java: async () => {
    await maven(sdkFolder('java'), ['verify'])
  },
}

/** Maven prints the warnings of the compiler and goes on; the build of the SDK makes them errors (`-Xlint:all -Werror`). */
export async function maven(cwd: string, goals: readonly string[]): Promise<string> {
  return runTool('mvn', ['--batch-mode', '--no-transfer-progress', '--quiet', ...goals], { cwd })
}
