// One file with everything in it: Node, the service with its drivers, and the web page. It runs on a Linux machine without
// Node, and writes nothing but its data.
//
//   npm run executable [-- --arch x64|arm64 --out deploy/dist/duetime-linux-x64]
//
// `npm run build` comes first: the page is taken from web/dist.

import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
// Vite's own, in the version that the lock file has for it. As a dependency of its own npm would want its builds for every
// platform in the lock file, and refuse to install without them.
import { build } from 'rolldown'
import type { Plugin } from 'rolldown'
import { VERSION } from '../../src/runtime/version.ts'
import { nodeFor } from './node-for.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const WEB = join(ROOT, 'web', 'dist')
const ARCHITECTURES = ['x64', 'arm64']

/** Modules that read files beside them, and what stands for them inside. */
const REPLACED: Readonly<Record<string, string>> = {
  'src/http/routes/web-folder.ts': 'scripts/executable/inside/web-folder.ts',
  'src/store/sqlite/threads/start-worker.ts': 'scripts/executable/inside/start-worker.ts',
  'src/threads/start-thread.ts': 'scripts/executable/inside/start-thread.ts',
}

/** The code of each kind of thread, by the name under which it is inside. */
const THREADS: Readonly<Record<string, string>> = {
  'worker.cjs': 'src/store/sqlite/threads/worker.ts',
  'entry-thread.cjs': 'src/threads/entry/entry-thread.ts',
  'delivery-thread.cjs': 'src/threads/delivery/delivery-thread.ts',
}

export type ExecutableOptions = { readonly arch: string; readonly out: string }

export async function buildExecutable({ arch, out }: ExecutableOptions): Promise<void> {
  const page = globSync('**/*.*', { cwd: WEB })
  if (!page.includes('index.html')) throw new Error('web/dist is empty: run `npm run build` first')
  const work = mkdtempSync(join(tmpdir(), 'duetime-executable-'))
  try {
    await bundle('src/cli/run.ts', join(work, 'main.mjs'), 'esm')
    for (const [name, entry] of Object.entries(THREADS)) await bundle(entry, join(work, name), 'cjs')
    mkdirSync(dirname(resolve(out)), { recursive: true })
    const config = {
      main: join(work, 'main.mjs'),
      mainFormat: 'module',
      executable: await nodeFor(arch),
      output: resolve(out),
      disableExperimentalSEAWarning: true,
      assets: {
        ...Object.fromEntries(Object.keys(THREADS).map((name) => [name, join(work, name)])),
        ...Object.fromEntries(page.map((path) => [`web/${path}`, join(WEB, path)])),
      },
    }
    writeFileSync(join(work, 'sea.json'), JSON.stringify(config))
    execFileSync(process.execPath, ['--build-sea', join(work, 'sea.json')], { stdio: ['ignore', 'ignore', 'inherit'] })
    chmodSync(out, 0o755)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function bundle(entry: string, file: string, format: 'esm' | 'cjs'): Promise<void> {
  await build({
    input: join(ROOT, entry),
    cwd: ROOT,
    platform: 'node',
    resolve: { conditionNames: ['@duetime/source', 'node', 'default'] },
    plugins: [inside()],
    // Optional parts of drivers, which load without them.
    external: ['pg-native', 'pg-cloudflare', 'temporal-polyfill/global'],
    logLevel: 'silent',
    output: { file, format, codeSplitting: false, minify: { mangle: false, compress: false, codegen: true } },
  })
}

function inside(): Plugin {
  return {
    name: 'inside the executable',
    async resolveId(source, importer) {
      const found = await this.resolve(source, importer, { skipSelf: true })
      const replaced = found && REPLACED[relative(ROOT, found.id)]
      return replaced === null || replaced === undefined ? null : join(ROOT, replaced)
    },
    load(id) {
      return relative(ROOT, id) === 'src/runtime/version.ts'
        ? `export const VERSION = ${JSON.stringify(VERSION)}`
        : null
    },
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { arch: { type: 'string', default: process.arch }, out: { type: 'string' } },
  })
  const { arch, out = join(ROOT, 'deploy', 'dist', `duetime-linux-${arch}`) } = values
  if (!ARCHITECTURES.includes(arch)) throw new Error(`--arch ${arch}: there are ${ARCHITECTURES.join(', ')}`)
  await buildExecutable({ arch, out })
  console.log(out)
}
