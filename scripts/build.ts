// Everything that is shipped or served and is not run from its source: the SDK, the package `duetime` as JavaScript, and
// the web page. `npm ci` runs it (as `prepare`), and so does packing, so a checkout that was installed is complete.
//
//   npm run build

import { spawn } from 'node:child_process'
import { existsSync, globSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'

type Step = {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** Without this file there is nothing to build. */
  readonly needs: string
  readonly compiled?: Compiled
}
type Compiled = { readonly from: string; readonly to: string }

/** Types are checked by `npm run check`; a build that takes a second instead of ten keeps `npm ci` quick. */
const SDK: Step = {
  name: 'sdks/typescript',
  command: ['tsc', '-p', 'sdks/typescript', '--noCheck'],
  needs: 'sdks/typescript/tsconfig.json',
  compiled: { from: 'sdks/typescript/src', to: 'sdks/typescript/dist' },
}
const PACKAGE: Step = {
  name: 'duetime',
  command: ['tsc', '-p', 'tsconfig.build.json', '--noCheck'],
  needs: 'tsconfig.build.json',
  compiled: { from: 'src', to: 'dist' },
}
const WEB: Step = { name: 'web', command: ['vite', 'build', 'web', '--logLevel', 'warn'], needs: 'web/vite.config.ts' }

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules', '.bin')

async function build(step: Step): Promise<boolean> {
  const {
    name,
    command: [program, ...args],
    needs,
    compiled,
  } = step
  if (!existsSync(join(root, needs))) return true
  if (!existsSync(join(bin, program))) {
    // Installed without development dependencies: whoever does that brings what was built elsewhere.
    console.log(`build: ${name} is left out, since ${program} is not installed`)
    return true
  }
  if (compiled !== undefined) removeOrphans(compiled)
  const env = { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) }
  const child = spawn(program, args, { cwd: root, env, stdio: 'inherit' })
  const code = await new Promise((resolve) => child.once('close', resolve))
  console.log(`build: ${name} ${code === 0 ? 'done' : 'FAILED'}`)
  return code === 0
}

/** What was compiled from a source that is gone. The rest is overwritten in place, so that whoever imports it meanwhile finds it. */
function removeOrphans({ from, to }: Compiled): void {
  for (const path of globSync(join(root, to, '**', '*.{js,d.ts}'))) {
    const source = path.replace(join(root, to), join(root, from)).replace(/\.(?:js|d\.ts)$/, '.ts')
    if (!existsSync(source)) rmSync(path)
  }
}

// The web page is bundled with the SDK as it was just built.
const results = [await build(SDK), ...(await Promise.all([build(PACKAGE), build(WEB)]))]
process.exitCode = results.every(Boolean) ? 0 : 1
