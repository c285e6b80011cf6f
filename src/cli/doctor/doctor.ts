// `duetime doctor`: looks at everything that a service depends on and says what is wrong and what to do. It only looks:
// it takes no lock, claims no shard and makes no table, so it can be run beside a service at any time.

import type { Config } from '../../runtime/config/config.ts'
import { variableNames } from '../../runtime/client-environment.ts'
import type { Connection } from '../command/connection.ts'
import { CommandFailed } from '../command/command-failed.ts'
import { print } from '../output/format.ts'
import type { Format } from '../output/format.ts'
import type { Flags } from '../command/given-flags.ts'
import type { Style, Terminal } from '../command/terminal.ts'
import { checkConfig } from './check-config.ts'
import { checkDatabase } from './databases/check-database.ts'
import { checkClock, checkNode, checkPort } from './check-machine.ts'
import { checkNats } from './check-nats.ts'
import { checkServer } from './check-server.ts'
import { Findings, messageOf } from './finding.ts'
import type { Finding, Standing } from './finding.ts'

export type DoctorRequest = { readonly flags: Flags; readonly connection: Connection; readonly output: Format }

export async function runDoctor({ flags, connection, output }: DoctorRequest, terminal: Terminal): Promise<void> {
  const findings = await examine(flags, connection, terminal)
  const failed = findings.filter(({ standing }) => standing === 'fail').length
  await print({ value: { ok: failed === 0, findings }, text: () => report(findings, terminal) }, output, terminal)
  if (failed > 0) throw new CommandFailed()
}

async function examine(flags: Flags, connection: Connection, { clock }: Terminal): Promise<readonly Finding[]> {
  const { config, findings } = await checkConfig(flags, variableNames())
  const url = connection.givenUrl ?? (config === null ? connection.url : ownUrl(config))
  const apiKey = connection.apiKey ?? config?.apiKey ?? null
  const isNamed = connection.givenUrl !== null
  const server = await guarded('server', () => checkServer({ url, apiKey, isNamed, clock }))
  const isThere = server.some(({ standing }) => standing === 'ok')
  const ofService =
    config === null
      ? []
      : [
          ...(await guarded('database', () => checkDatabase(config, clock))),
          ...(await guarded('nats', () => checkNats(config))),
        ]
  const isPortOurs = config !== null && !isThere && !isNamed && config.port !== 0
  const port = isPortOurs ? await guarded('port', () => checkPort(config.host, config.port)) : []
  return [...checkNode(), ...findings, ...ofService, ...(await checkClock(clock)), ...server, ...port]
}

/** A check that breaks is a finding too. */
async function guarded(area: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check()
  } catch (error) {
    const findings = new Findings(area)
    findings.fail(`could not be checked: ${messageOf(error)}`, 'The message says what stood in the way.')
    return findings.all
  }
}

/** Where the service with these settings would answer on this machine. */
function ownUrl({ host, port }: Config): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${reachable}:${port}`
}

const STYLES: Readonly<Record<Standing, Style>> = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'dim' }

function report(findings: readonly Finding[], { paint }: Terminal): string {
  const areas = Map.groupBy(findings, ({ area }) => area)
  const sections = [...areas].map(
    ([area, members]) => `${paint('bold', area)}\n${members.map((one) => findingText(one, paint)).join('')}`,
  )
  const count = (standing: Standing) => findings.filter((one) => one.standing === standing).length
  const [failed, warned] = [count('fail'), count('warn')]
  const verdict =
    failed > 0
      ? paint('red', `${failed} failed`)
      : warned > 0
        ? paint('yellow', 'nothing failed')
        : paint('green', 'all is well')
  return `${sections.join('\n')}\n${verdict}${warned > 0 ? `, ${warned} to look at` : ''}\n`
}

function findingText({ standing, message, advice }: Finding, paint: Terminal['paint']): string {
  const indent = ' '.repeat(8)
  const lines = `${message}${advice === undefined ? '' : `\n→ ${advice}`}`.replaceAll('\n', `\n${indent}`)
  return `  ${paint(STYLES[standing], standing.padEnd(4))}  ${lines}\n`
}
