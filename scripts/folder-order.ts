// The sub-folders of each layer as a check, as LAYERS is for the layers: imports between them point down, and none grows
// beyond what a reader can take in. A folder whose neighbours import it both ways is not a part of its own.

import { dirname, relative } from 'node:path/posix'

/** Sub-folders of one layer, bottom first. Those on one line are siblings and do not know each other. */
type Order = readonly (readonly string[])[]

/**
 * `.` stands for the files beside the sub-folders. Where it has no place, such a file may be imported where all that it
 * leads to may be.
 */
const ORDER: Readonly<Record<string, Order>> = {
  core: [['.'], ['json'], ['time'], ['targets'], ['timer'], ['rules'], ['access', 'cluster', 'events', 'statistics']],
  runtime: [['clock', 'config'], ['telemetry', 'memory'], ['.']],
  broker: [['memory', 'nats']],
  store: [
    ['row'],
    ['layout'],
    ['queries'],
    ['keyed', 'sql'],
    ['memory', 'sqlite', 'postgres', 'mysql', 'dynamodb', 'cassandra', 'mongodb'],
    ['conformance'],
  ],
  targets: [['function', 'http', 'nats', 'none']],
  engine: [['wake', 'calendars', 'split'], ['commit', 'window'], ['delivery'], ['cluster'], ['.']],
  service: [['queries'], ['calendars'], ['.'], ['activity', 'keys', 'peers', 'transfer'], ['shards']],
  language: [['targets'], ['.']],
  http: [
    ['answer', 'body', 'docs', 'request'],
    ['access', 'errors', 'lists'],
    ['direct'],
    ['calendars', 'contracts', 'observing', 'routes'],
    ['.'],
  ],
  nats: [['lifecycle'], ['messages'], ['requests']],
  threads: [['channel'], ['.'], ['delivery', 'entry']],
  embedded: [['input'], ['.']],
  cli: [
    ['command'],
    ['when'],
    ['completion', 'output', 'transfer', 'migrate'],
    ['timers'],
    ['calendars', 'keys', 'doctor', 'insight', 'dev', 'shards'],
  ],
}

/** Imports that point up all the same: the file, what it imports, and why. */
const ALLOWED: Readonly<Record<string, string>> = {
  'src/cli/command/connection.ts → when/span.ts': 'a timeout is written as a span',
  'src/cli/command/actions.ts → program.ts': 'the actions of the program belong beside it',
  'src/cli/command/actions.ts → transfer/backup.ts': 'the actions of the program belong beside it',
  'src/cli/command/actions.ts → transfer/transfer.ts': 'the actions of the program belong beside it',
  'src/cli/command/actions.ts → shards/shards.ts': 'the actions of the program belong beside it',
  'src/cli/command/actions.ts → migrate/migrate.ts': 'the actions of the program belong beside it',
  'src/cli/command/reference-page.ts → program.ts': 'the page shows all commands; it belongs beside the program',
  'src/cli/command/reference-page.ts → completion/command-tree.ts':
    'the page shows all commands; it belongs beside the program',
}

const BESIDE = '.'

/** What is larger than the limits below, and why. */
const LARGER: Readonly<Record<string, string>> = {}

const FILES_MAX = 12 // what `ls` shows at a glance
const LINES_MAX = 300
/** Suites that every adapter runs are tests, which may be as long as they like. */
const SUITES = /\/conformance(?:\/|\.ts$)/

export type SourceFile = {
  /** From the root of the repository, with `/`. */
  readonly path: string
  readonly lines: number
  /** The files of src/ that it imports, by their paths. */
  readonly imports: readonly string[]
}

/** What is wrong with folders, one line each. `files` has all code of src/, without tests. */
export function folderProblems(
  files: readonly SourceFile[],
  { order = ORDER, allowed = ALLOWED, larger = LARGER } = {},
): string[] {
  const used = new Set<string>()
  const isCode = ({ path }: SourceFile) => !SUITES.test(path)
  const found = [
    ...files.flatMap((file) => upwardImports(file, { files, order })),
    ...files
      .filter(isCode)
      .flatMap(({ path, lines }) =>
        lines > LINES_MAX ? [{ key: path, text: `${path} has ${lines} lines, and ${LINES_MAX} are the most` }] : [],
      ),
    ...[...Map.groupBy(files.filter(isCode), ({ path }) => dirname(path))].flatMap(([folder, { length }]) =>
      length > FILES_MAX
        ? [{ key: folder, text: `${folder} has ${length} files of code, and ${FILES_MAX} are the most` }]
        : [],
    ),
  ]
  const problems = found.filter(({ key }) => {
    used.add(key)
    return !(key in allowed) && !(key in larger)
  })
  const unused = [...Object.keys(allowed), ...Object.keys(larger)].filter((key) => !used.has(key))
  return [
    ...problems.map(({ text }) => text),
    ...unused.map((key) => `${key} is no exception any more: remove it from scripts/folder-order.ts`),
  ]
}

type Found = { readonly key: string; readonly text: string }
type Code = { readonly files: readonly SourceFile[]; readonly order: Readonly<Record<string, Order>> }

function upwardImports({ path, imports }: SourceFile, { files, order }: Code): Found[] {
  const layer = layerOf(path)
  const folders = order[layer] ?? []
  const folder = placeOf(path)
  const rank = rankIn(folders, folder)
  if (folder === BESIDE && rank === -1) return []
  if (rank === -1)
    return [{ key: path, text: `${path}: add \`${folder}\` to ORDER.${layer} in scripts/folder-order.ts` }]
  return imports
    .filter((target) => layerOf(target) === layer)
    .flatMap((target) => {
      const reached = [...placesReached(target, files, folders)].filter((one) => one !== folder)
      const wrong = reached.filter((one) => rankIn(folders, one) >= rank)
      if (wrong.length === 0) return []
      const text = `${path} imports ${target}, which is in or leads to ${wrong.join(', ')}: ${folder} is not above that`
      return [{ key: `${path} → ${relative(`src/${layer}`, target)}`, text }]
    })
}

/** The folders that one gets to by importing a file: its own, or all that a file without a place imports in turn. */
function placesReached(
  path: string,
  files: readonly SourceFile[],
  order: Order,
  seen = new Set<string>(),
): Set<string> {
  const folder = placeOf(path)
  if (rankIn(order, folder) !== -1) return new Set([folder])
  if (seen.has(path)) return new Set()
  seen.add(path)
  const imports = files.find((file) => file.path === path)?.imports ?? []
  const inLayer = imports.filter((target) => layerOf(target) === layerOf(path))
  return new Set(inLayer.flatMap((target) => [...placesReached(target, files, order, seen)]))
}

function rankIn(order: Order, folder: string): number {
  return order.findIndex((siblings) => siblings.includes(folder))
}

/** `core` for src/core/timer/timer.ts. */
function layerOf(path: string): string {
  return path.split('/')[1] ?? ''
}

/** `timer` for src/core/timer/timer.ts, `.` for src/core/limits.ts. */
function placeOf(path: string): string {
  const parts = path.split('/')
  return parts.length > 3 ? parts[2]! : BESIDE
}
