// The settings: whether they can be read, and whether a variable is set that is nearly one.

import { readFile, stat } from 'node:fs/promises'
import { CLIENT_VARIABLES } from '../../runtime/client-environment.ts'
import { nearestName } from '../../runtime/config/nearest.ts'
import { SETTINGS } from '../../runtime/config/schema.ts'
import { ConfigError, loadConfig } from '../../runtime/config/config.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { Flags } from '../command/given-flags.ts'
import { Findings, messageOf } from './finding.ts'
import type { Finding } from './finding.ts'

/** Prefixes under which nobody but this program has variables. */
const PREFIX = 'DUETIME_'
const KNOWN: readonly string[] = Object.values(SETTINGS).flatMap(({ env, alias }) =>
  alias === null ? [env] : [env, alias],
)

export type ConfigCheck = { readonly config: Config | null; readonly findings: readonly Finding[] }

export async function checkConfig(flags: Flags, variables: readonly string[]): Promise<ConfigCheck> {
  const findings = new Findings('config')
  const config = readConfig(flags, findings)
  for (const name of variables) checkVariable(name, findings)
  if (config !== null) {
    const given = variables.filter((name) => KNOWN.includes(name)).length + Object.keys(flags).length
    const said = `${given} ${given === 1 ? 'setting is' : 'settings are'} given, and all can be read`
    findings.ok(given === 0 ? 'no setting is given: the defaults count' : said)
    checkReach(config, findings)
    if (config.keysFile !== null) await checkKeysFile(config.keysFile, findings)
  }
  return { config, findings: findings.all }
}

function readConfig(flags: Flags, findings: Findings): Config | null {
  try {
    return loadConfig({ flags })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems)
      findings.fail(problem, 'Correct it: `duetime serve --help` lists every setting.')
    return null
  }
}

function checkVariable(name: string, findings: Findings): void {
  const clients: readonly string[] = Object.values(CLIENT_VARIABLES)
  if (KNOWN.includes(name) || clients.includes(name)) return
  if (name.startsWith(PREFIX)) {
    const bare = name.slice(PREFIX.length)
    const nearest = KNOWN.includes(bare) ? bare : (nearestName(name, clients) ?? nearestName(bare, KNOWN))
    const advice =
      nearest === null ? '`duetime serve --help` lists every setting; they have no prefix.' : `Set ${nearest} instead.`
    return findings.warn(`${name} is set, and it is no setting`, advice)
  }
  const nearest = nearestName(name, KNOWN)
  if (nearest !== null)
    findings.warn(`${name} is set, and it is no setting`, `If it is meant for Duetime, write ${nearest}.`)
}

function checkReach(config: Config, findings: Findings): void {
  const listens = `listens on ${config.host}:${config.port}`
  if (config.keysNeeded) findings.ok(`${listens}, for whoever has a key`)
  else if (config.loopbackOnly) findings.ok(`${listens}, so that only this machine can reach it; no key is configured`)
  else
    findings.warn(
      `${listens} for everyone, without keys`,
      'Set API_KEY or KEYS_FILE unless the network keeps strangers out.',
    )
  if (!config.loopbackOnly && config.webhookSecrets.length === 0) {
    findings.warn('deliveries are not signed', 'Set WEBHOOK_SECRETS, so that receivers can tell them from forgeries.')
  }
}

async function checkKeysFile(path: string, findings: Findings): Promise<void> {
  const { parseKeyEntries } = await import('../../service/keys/key-entries.ts')
  try {
    const count = parseKeyEntries(await readFile(path, 'utf8'), path).length
    findings.ok(`${path} has ${count} ${count === 1 ? 'key' : 'keys'}`)
    if (((await stat(path)).mode & 0o022) !== 0) {
      findings.fail(`${path} can be written to by others, who could add a key`, `chmod 600 ${path}`)
    }
  } catch (error) {
    findings.fail(`${path}: ${messageOf(error)}`, '`duetime keys create --file` makes such a file.')
  }
}
