// Programs that check what the service is deployed with: charts, manifests, workflows. They are built or fetched once and
// kept in the cache of the servers. Where one cannot be had, its tests are skipped, with a line that says what to run.

import { join } from 'node:path'
import { cached, fillCache, isCached } from '../servers/cache.ts'
import { command, programPath } from '../servers/install/command.ts'
import { buildGoProgram } from '../servers/install/go-build.ts'
import { writeKubernetesSchemas } from './kubernetes-schemas.ts'

export type ToolName =
  | 'helm'
  | 'kubeconform'
  | 'kustomize'
  | 'actionlint'
  | 'kubernetes-schemas'
  | 'packages'
  | 'frameworks'
  | 'temporal'
  | 'nats-server'

type Tool = {
  readonly title: string
  /** Programs that must be on the machine before it can be installed. */
  readonly needs: readonly string[]
  readonly cost: string
  /** With the version, so that another version is another folder. */
  readonly key: string
  readonly install: (directory: string) => Promise<void>
  /** No test needs it: it is installed only by its name. */
  readonly isExtra?: boolean
}

export const TOOLS: Readonly<Record<ToolName, Tool>> = {
  helm: goTool({ module: 'helm.sh/helm/v3', version: 'v3.22.0', main: 'cmd/helm', cost: 'five minutes of CPU time' }),
  kubeconform: goTool({
    module: 'github.com/yannh/kubeconform',
    version: 'v0.8.0',
    main: 'cmd/kubeconform',
    cost: 'half a minute of CPU time',
  }),
  kustomize: goTool({
    module: 'sigs.k8s.io/kustomize/kustomize/v5',
    version: 'v5.8.1',
    main: '',
    cost: 'a minute of CPU time',
  }),
  actionlint: goTool({
    module: 'github.com/rhysd/actionlint',
    version: 'v1.7.12',
    main: 'cmd/actionlint',
    cost: 'half a minute of CPU time',
  }),
  'kubernetes-schemas': {
    title: 'JSON schemas of Kubernetes and of the Prometheus operator',
    needs: ['go'],
    cost: '10 MB',
    key: 'kubernetes-schemas-1.35',
    install: writeKubernetesSchemas,
  },
  packages: {
    title: 'Linters from npm, as package-lock.json beside this file has them',
    needs: ['npm'],
    cost: '90 MB',
    key: 'npm-linters-1', // raise it together with package-lock.json
    install: async (directory) => {
      for (const name of ['package.json', 'package-lock.json'])
        await command('cp', [join(import.meta.dirname, name), directory])
      await command('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory })
    },
  },
  frameworks: {
    title: 'Web frameworks for tests of receivers: Express, Hono, and Next.js with an application that is built',
    needs: ['npm'],
    cost: '400 MB, a minute of CPU time',
    key: 'frameworks-1', // raise it together with what is in the folder
    install: async (directory) => {
      await command('cp', ['-R', `${join(import.meta.dirname, 'frameworks')}/.`, directory])
      await command('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory })
      await command(process.execPath, ['node_modules/next/dist/bin/next', 'build'], {
        cwd: directory,
        env: { NEXT_TELEMETRY_DISABLED: '1' },
      })
    },
  },
  // The next two are servers that npm run bench:peers compares with.
  temporal: {
    ...goTool({
      module: 'github.com/temporalio/cli',
      version: 'v1.5.1', // the last one whose module is complete
      main: 'cmd/temporal',
      binary: 'temporal',
      cost: 'five minutes of CPU time',
    }),
    isExtra: true,
  },
  'nats-server': {
    ...goTool({
      module: 'github.com/nats-io/nats-server/v2',
      version: 'v2.15.2',
      main: '',
      cost: 'a minute of CPU time',
    }),
    isExtra: true,
  },
}

type GoTool = {
  readonly module: string
  readonly version: string
  readonly main: string
  readonly cost: string
  /** The name of the program, where the module has another. */
  readonly binary?: string
}

function goTool({ module, version, main, cost, binary = lastWord(module) }: GoTool): Tool {
  return {
    title: `${binary} ${version.slice(1)}`,
    needs: ['go'],
    cost,
    key: `${binary}-${version.slice(1)}`,
    install: (directory) =>
      buildGoProgram(directory, {
        goMod: `module local/${binary}\ngo 1.26.0\nrequire ${module} ${version}\n`,
        importPath: main === '' ? module : `${module}/${main}`,
        binary,
        toolchain: 'go1.26.0+auto',
      }),
  }
}

/** Without the major version that follows it. */
function lastWord(module: string): string {
  return module
    .replace(/\/v\d+$/, '')
    .split('/')
    .at(-1)!
}

export async function installTool(name: ToolName): Promise<void> {
  const { needs, key, install } = TOOLS[name]
  const missing = needs.filter((program) => programPath(program) === null)
  if (missing.length > 0) throw new Error(`${name} cannot be installed without ${missing.join(', ')}`)
  await fillCache(key, install)
}

/** Where it is: the program itself, or a file below its folder. */
export function toolPath(name: ToolName, ...names: readonly string[]): string {
  return cached(TOOLS[name].key, ...(names.length === 0 ? [name] : names))
}

/** Null where all of them are here. */
export function missingTools(...names: readonly ToolName[]): string | null {
  const missing = names.filter((name) => !isCached(TOOLS[name].key))
  return missing.length === 0 ? null : `needs: node scripts/tools/main.ts install ${missing.join(' ')}`
}
