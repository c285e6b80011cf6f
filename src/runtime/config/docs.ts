// The settings as people read them: the reference page in docs/ and the flags that `duetime serve --help` lists.

import { SETTINGS } from './schema.ts'
import type { Setting } from './schema.ts'

/** What the command line needs to offer a setting as a flag. */
export type FlagHelp = {
  readonly group: string
  readonly flag: string
  /** `--port <number>`; a flag that is either on or off takes its value optionally. */
  readonly usage: string
  readonly help: string
}

export function flagHelp(): readonly FlagHelp[] {
  return settings().map((setting) => ({
    group: setting.group,
    flag: setting.flag,
    usage: `--${setting.flag} ${isSwitch(setting) ? `[${setting.type.placeholder}]` : `<${setting.type.placeholder}>`}`,
    help: `${setting.help} ${facts(setting)}`.replaceAll('`', ''),
  }))
}

export function configurationPage(): string {
  const groups = Map.groupBy(settings(), (setting) => setting.group)
  const sections = [...groups].map(([name, members]) => `## ${name}\n\n${table(members)}`)
  return `${INTRODUCTION}\n${sections.join('\n\n')}\n`
}

const INTRODUCTION = `<!-- Generated from src/runtime/config/schema.ts by \`npm run docs\`: change it there. -->

# Configuration

Every setting is an environment variable and a flag of \`duetime serve\`; a flag wins over the variable. An empty variable
counts as unset. A file \`.env\` in the working directory is read as \`node --env-file\` does: what the environment has wins over it. Everything is checked at the start: a wrong setting stops the service with a message that says what is right.

- **Sizes** are bytes, or a number with a unit: \`512KiB\`, \`8MiB\`, \`1GiB\`.
- **Durations** have their unit: \`500ms\`, \`30s\`, \`1h30m\`, \`7d\`, or ISO 8601: \`PT30S\`, \`P7D\`.
- **Lists** are separated by commas.
- **Switches** are \`true\` or \`false\`; as a flag, the name alone means \`true\`.
`

function table(members: readonly Setting<unknown>[]): string {
  const rows = members.map(
    (setting) => `| \`${setting.env}\` | \`--${setting.flag}\` | ${defaultText(setting)} | ${cell(setting)} |`,
  )
  return ['| Variable | Flag | Default | What it does |', '|---|---|---|---|', ...rows].join('\n')
}

function cell(setting: Setting<unknown>): string {
  const secret = setting.secret ? ' Error messages do not repeat it.' : ''
  return `${setting.help}${secret}<br>*${capitalised(setting.type.describes)}*`.replaceAll('|', '\\|')
}

function defaultText(setting: Setting<unknown>): string {
  return setting.default === null || setting.default === '' ? 'none' : `\`${setting.default}\``
}

function facts(setting: Setting<unknown>): string {
  const fallback = setting.default === null || setting.default === '' ? '' : `; default ${setting.default}`
  return `(${setting.env}; ${setting.type.describes}${fallback})`
}

function isSwitch(setting: Setting<unknown>): boolean {
  return setting.type.placeholder === 'boolean'
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function settings(): readonly Setting<unknown>[] {
  return Object.values<Setting<unknown>>(SETTINGS)
}
