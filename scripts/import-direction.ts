// The layers of src/ as a check: imports point down, types included, and some imports are forbidden. The drawing and
// the reasons are in ARCHITECTURE.md; a rule that is only written down lasts until the next deadline.
//
//   node scripts/import-direction.ts

import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { parseSync, Visitor } from 'oxc-parser'
import type { MemberExpression } from 'oxc-parser'
import { folderProblems } from './folder-order.ts'

/** Bottom first. Layers on one line are siblings and do not know each other. */
const LAYERS = [
  ['core'],
  ['runtime'],
  ['broker'],
  ['store', 'targets'],
  ['engine'],
  ['service'],
  ['language'],
  ['http', 'nats'],
  ['assembly.ts', 'opening.ts'],
  ['threads'],
  ['server.ts', 'embedded'],
  ['cli'],
  ['main.ts'],
]

const CORE_PACKAGES = ['@noble/hashes']

/** Where the time and the environment come from is the runtime's business; everyone else is handed a Clock and a Config. */
const RUNTIME_ONLY = [
  'Date.now',
  'performance.now',
  'performance.timeOrigin',
  'process.hrtime',
  'process.env',
  'Temporal.Now',
]

const TEST_FILE = /\.(?:test|fixture)\.ts$/

/** What is wrong in one file, given by its path from the root with `/`; one line each. Tests may compose and measure as they like. */
export function violations(path: string, source: string): string[] {
  if (TEST_FILE.test(path)) return []
  const found: string[] = []
  const report = (offset: number, message: string) => found.push(`${path}:${lineAt(source, offset)} ${message}`)
  const layer = layerOf(path)
  if (rankOf(layer) < 0)
    return [`${path}:1 is in no known layer: add \`${layer}\` to LAYERS in scripts/import-direction.ts`]

  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) return [`${path}:1 cannot be parsed: ${errors[0]!.message}`]

  const onImport = (node: EachImport) => {
    const specifier = textOf(node.source)
    const problem = specifier === null ? null : (slowImport(node, specifier) ?? importProblem(path, specifier))
    if (problem !== null) report(node.start, problem)
  }
  const onRuntimeOnly = (node: { readonly start: number }, name: string) => {
    if (layer !== 'runtime')
      report(node.start, `reads ${name}: only src/runtime may; take a Clock, a Config or \`now\` instead`)
  }
  new Visitor({
    ...onEachImport(onImport),
    MemberExpression: (node) => {
      const name = memberName(node)
      if (RUNTIME_ONLY.includes(name)) onRuntimeOnly(node, name)
    },
    NewExpression: (node) => {
      if (nameOf(node.callee) === 'Date' && node.arguments.length === 0) onRuntimeOnly(node, 'new Date()')
    },
    CallExpression: (node) => {
      if (nameOf(node.callee) === 'Date') onRuntimeOnly(node, 'Date()')
    },
  }).visit(program)
  return found
}

/** An import of these reads all that they export, and so loads code that nobody wants when a service starts. Types cost nothing. */
const SLOW_IMPORTS = ['node:http', 'node:https', 'node:zlib']

function slowImport({ importKind, exportKind, type }: EachImport, specifier: string): string | null {
  const isOfTypes = importKind === 'type' || exportKind === 'type' || type === 'TSImportType'
  return isOfTypes || !SLOW_IMPORTS.includes(specifier)
    ? null
    : `imports ${specifier}, which makes the start slow: take it from src/runtime/builtin-modules.ts`
}

function importProblem(path: string, specifier: string): string | null {
  const from = layerOf(path)
  if (!specifier.startsWith('.')) {
    const allowed =
      from !== 'core' || CORE_PACKAGES.some((name) => specifier === name || specifier.startsWith(`${name}/`))
    return allowed ? null : `imports ${specifier}: src/core is pure and may import only ${CORE_PACKAGES.join(', ')}`
  }
  const target = join(dirname(path), specifier)
  // package.json is where the version is; nothing else outside src/ is part of the program.
  if (!target.startsWith('src/')) return target === 'package.json' ? null : `imports ${target}, which is outside src/`
  if (TEST_FILE.test(target)) return `imports ${target}: only tests import what is made for tests`
  const to = layerOf(target)
  if (from === to) return contractProblem(path, target)
  if (rankOf(to) === rankOf(from)) return `imports ${target}: ${from} and ${to} are siblings and do not know each other`
  return rankOf(to) < rankOf(from) ? null : `imports ${target}: ${from} is below ${to}, and imports point down`
}

/** A contract translates between its clients and the service; what two of them share belongs below them. */
function contractProblem(path: string, target: string): string | null {
  const [from, to] = [contractOf(path), contractOf(target)]
  return from === null || to === null || from === to
    ? null
    : `imports ${target}: the contracts ${from} and ${to} do not know each other`
}

function contractOf(path: string): string | null {
  return /^src\/http\/contracts\/([^/]+)\//.exec(path)?.[1] ?? null
}

/** `core` for src/core/timer/timer.ts, `server.ts` for src/server.ts. */
function layerOf(path: string): string {
  return path.split('/')[1] ?? path
}

function rankOf(layer: string): number {
  return LAYERS.findIndex((siblings) => siblings.includes(layer))
}

function memberName(node: MemberExpression): string {
  const property = node.computed ? textOf(node.property) : nameOf(node.property)
  return `${nameOf(node.object) ?? ''}.${property ?? ''}`
}

/** The name of a global, also when it is reached through globalThis. */
function nameOf(node: { readonly type: string }): string | null {
  if (node.type === 'Identifier') return (node as unknown as { name: string }).name
  if (node.type !== 'MemberExpression') return null
  const member = memberName(node as MemberExpression)
  return member.startsWith('globalThis.') ? member.slice('globalThis.'.length) : null
}

function textOf(node: unknown): string | null {
  const value = (node as { readonly value?: unknown } | null | undefined)?.value
  return typeof value === 'string' ? value : null
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length
}

/** The files that a file imports, by their paths from the root. */
export function importsOf(path: string, source: string): string[] {
  const found: string[] = []
  const onImport = (node: { readonly source?: unknown }) => {
    const specifier = textOf(node.source)
    if (specifier?.startsWith('.') === true) found.push(join(dirname(path), specifier))
  }
  new Visitor(onEachImport(onImport)).visit(parseSync(path, source).program)
  return found
}

type EachImport = {
  readonly type?: string
  readonly source?: unknown
  readonly start: number
  readonly importKind?: string
  readonly exportKind?: string
}

/** Every form that an import has. */
function onEachImport(visit: (node: EachImport) => void) {
  return {
    ImportDeclaration: visit,
    ExportNamedDeclaration: visit,
    ExportAllDeclaration: visit,
    ImportExpression: visit,
    TSImportType: visit,
  }
}

if (import.meta.main) {
  const paths = globSync('src/**/*.ts').map((path) => path.replaceAll('\\', '/'))
  const sources = new Map(paths.toSorted().map((path) => [path, readFileSync(path, 'utf8')]))
  const files = [...sources]
    .filter(([path]) => !TEST_FILE.test(path))
    .map(([path, source]) => ({ path, lines: source.trimEnd().split('\n').length, imports: importsOf(path, source) }))
  const found = [...[...sources].flatMap(([path, source]) => violations(path, source)), ...folderProblems(files)]
  for (const line of found) console.error(line)
  console.log(found.length === 0 ? `${paths.length} files, imports point down` : `${found.length} violations`)
  process.exitCode = found.length === 0 ? 0 : 1
}
