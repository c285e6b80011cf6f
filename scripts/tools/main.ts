// The programs that check charts, manifests, workflows and packages, for people and for CI.
//
//   node scripts/tools/main.ts list                 all, and whether they are here
//   node scripts/tools/main.ts install [name…]      builds or fetches, unless it is in the cache; all that tests need, if none is named

import { installTool, missingTools, TOOLS } from './tools.ts'
import type { ToolName } from './tools.ts'

const USAGE = `usage: node scripts/tools/main.ts list | install [name…]; there are ${Object.keys(TOOLS).join(', ')}`

const [task, ...given] = process.argv.slice(2)
const all = Object.keys(TOOLS) as ToolName[]
const needed = task === 'install' ? all.filter((name) => TOOLS[name].isExtra !== true) : all
const names = given.length > 0 ? (given as ToolName[]) : needed
try {
  if (!['list', 'install'].includes(task ?? '') || names.some((name) => !(name in TOOLS))) throw new Error(USAGE)
  for (const name of names) {
    const began = performance.now()
    if (task === 'install') await installTool(name)
    const { title, cost } = TOOLS[name]
    const state = missingTools(name) === null ? 'here   ' : 'missing'
    const seconds = task === 'install' ? `, ${((performance.now() - began) / 1_000).toFixed(0)} s` : ''
    console.log(`${name.padEnd(20)} ${state}  ${title} (${cost}${seconds})`)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
