// The packages of the SDKs, as their registries take them: a wheel and a source distribution, and jars with sources and documentation. Go has
// no package: its module is fetched from the repository.
//
//   node scripts/sdks/build.ts release

import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { maven, pythonTools, runTool, sdkFolder } from './languages.ts'
import type { Language } from './languages.ts'

const NOT_COPIED = ['__pycache__', '.mypy_cache', 'target']

/** Of a copy in `work`, so that a build leaves nothing in the sources. Returns the names of the files in `out`. */
export async function buildPython(work: string, out: string): Promise<string[]> {
  const copy = copyOf('python', work)
  await runTool(await pythonTools(), ['-m', 'build', '--no-isolation', '--outdir', out, copy], { cwd: work })
  return readdirSync(out).toSorted()
}

/** As for Python. `goals` are Maven's, beside the package. */
export async function buildJava(work: string, out: string, goals: readonly string[] = []): Promise<string[]> {
  const copy = copyOf('java', work)
  await maven(copy, ['package', ...goals])
  const jars = readdirSync(join(copy, 'target')).filter((name) => name.endsWith('.jar'))
  mkdirSync(out, { recursive: true })
  for (const jar of jars) copyFileSync(join(copy, 'target', jar), join(out, jar))
  return jars.toSorted()
}

function copyOf(language: Language, work: string): string {
  const copy = join(work, language)
  cpSync(sdkFolder(language), copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) })
  return copy
}

if (import.meta.main) {
  const [out] = process.argv.slice(2)
  if (out === undefined) throw new Error('usage: node scripts/sdks/build.ts <folder>')
  const work = mkdtempSync(join(tmpdir(), 'duetime-sdks-'))
  try {
    await buildPython(work, resolve(out))
    await buildJava(work, resolve(out))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
