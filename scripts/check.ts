// Everything that can be known without running the service, at once: types, lint, format, import direction,
// dead code, the compose file, stale docs. This is what CI runs before the tests.
//
//   npm run check

import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

type Check = { readonly name: string; readonly command: readonly [string, ...string[]] }

/** Of the language's library, what the oldest Node that the package runs on has; Temporal is brought along. */
const NODE_22 = 'es2024,es2025.iterator,es2025.collection,esnext.array,esnext.disposable,esnext.temporal'

const CHECKS: readonly Check[] = [
  types('types', '.'),
  types('types, with what Node 22 has', 'tsconfig.build.json', '--lib', NODE_22),
  types('types of the SDK, without DOM and Node', 'sdks/typescript'),
  types('types of the SDK, with DOM', 'sdks/typescript', '--lib', 'es2022,dom,dom.iterable'),
  types('types of the web page', 'web'),
  { name: 'lint', command: ['oxlint'] },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'import direction', command: ['node', 'scripts/import-direction.ts'] },
  { name: 'dead code', command: ['knip', '--no-progress'] },
  { name: 'compose file', command: ['dclint', 'deploy/docker', '--max-warnings', '0'] },
  { name: 'generated docs', command: ['node', 'scripts/generate-docs.ts', '--check'] },
]

/** What the compiler learned is kept until the next time: it then looks only at what has changed since. */
function types(name: string, project: string, ...flags: readonly string[]): Check {
  const learned = `node_modules/.cache/duetime-types/${name.replaceAll(/\W+/g, '-')}.json`
  return { name, command: ['tsc', '--noEmit', '-p', project, '--incremental', '--tsBuildInfoFile', learned, ...flags] }
}

type Result = { readonly name: string; readonly ok: boolean; readonly seconds: number; readonly output: string }

const root = join(import.meta.dirname, '..')
/** The tools of this repository, wherever the script was started from. */
const env = { ...process.env, PATH: [join(root, 'node_modules', '.bin'), process.env['PATH']].join(delimiter) }

function run({ name, command: [program, ...args] }: Check): Promise<Result> {
  const began = performance.now()
  return new Promise((resolve) => {
    let output = ''
    const end = (ok: boolean) => resolve({ name, ok, seconds: (performance.now() - began) / 1_000, output })
    const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.on('error', (error) => {
      output += `${program} could not be run: ${error.message}. Has \`npm ci\` been run?\n`
      end(false)
    })
    child.on('close', (code) => end(code === 0))
  })
}

const results = await Promise.all(CHECKS.map(run))
const failed = results.filter((result) => !result.ok)
for (const { name, output } of failed) console.log(`\n── ${name} ──\n${output.trim()}`)
console.log(failed.length > 0 ? '' : 'check:')
for (const { name, ok, seconds } of results)
  console.log(`  ${ok ? 'ok    ' : 'FAILED'}  ${name} (${seconds.toFixed(1)} s)`)
process.exitCode = failed.length === 0 ? 0 : 1
