// Real servers of every database that the service runs on, for people and for CI.
//
//   node scripts/servers/main.ts list                 all, and whether they are here; with --here, --missing or --every-run the names alone
//   node scripts/servers/main.ts install <name…>      fetches or builds, unless it is in the cache
//   node scripts/servers/main.ts start <name>         prints its URL, and runs until Ctrl-C; the data go with it
//
// `install --every-run` installs those that CI has in every run, and fails if one of them cannot be had: what is to be tried in
// every run is not left out silently.

import { parseArgs } from 'node:util'
import { installServer, serverNamed, SERVERS, startServer } from './servers.ts'
import type { ServerName } from './servers.ts'

const USAGE =
  'usage: node scripts/servers/main.ts list [--here | --missing | --every-run] | install <name…> | install --every-run | start <name>'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'every-run': { type: 'boolean' }, here: { type: 'boolean' }, missing: { type: 'boolean' } },
})
const [task, ...names] = positionals

try {
  if (task === 'list') list()
  else if (task === 'install' && (names.length > 0 || values['every-run'] === true)) await install()
  else if (task === 'start' && names.length === 1) await start(names[0]!)
  else throw new Error(USAGE)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function list(): void {
  const { here, missing, 'every-run': everyRun } = values
  if (here === true || missing === true || everyRun === true) {
    const meant = SERVERS.filter(({ isInstalled, inEveryRun }) =>
      everyRun === true ? inEveryRun : isInstalled() === (here === true),
    )
    console.log(meant.map(({ name }) => name).join(' '))
    return
  }
  for (const { name, title, cost, isInstalled } of SERVERS)
    console.log(`${name.padEnd(14)} ${isInstalled() ? 'here   ' : 'missing'}  ${title} (${cost})`)
}

async function install(): Promise<void> {
  const everyRun = values['every-run'] === true ? SERVERS.filter(({ inEveryRun }) => inEveryRun) : []
  const kinds = [...everyRun, ...names.map(serverNamed)]
  for (const kind of kinds) {
    const began = performance.now()
    await installServer(kind)
    console.log(`${kind.title}: here (${((performance.now() - began) / 1_000).toFixed(0)} s)`)
  }
}

async function start(name: string): Promise<void> {
  await installServer(serverNamed(name))
  const server = await startServer(name as ServerName)
  console.log(server.url())
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  await server.stop()
}
