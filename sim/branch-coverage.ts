// Which branches of the engine, the rules and the cluster code some simulations reach, by V8's own counts. What is never
// reached is named by its lines, so that people can see what the simulator says nothing about.

import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { huntedPlan } from './plan/reshards.ts'
import { simulate } from './simulate.ts'

const COVERED =
  /\/src\/(?:engine|core\/rules|nats\/lifecycle)\/(?!.*\.(?:test|fixture)\.ts)|\/src\/service\/command-router\.ts/

/** One line per file, the least covered first. */
export async function branchCoverage(seeds: number): Promise<string[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  for (let seed = 1; seed <= seeds; seed++) await simulate(huntedPlan(seed))
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  return result
    .filter(({ url }) => COVERED.test(url))
    .map(({ url, functions }) => fileCoverage(url, functions))
    .toSorted((a, b) => a.share - b.share)
    .map(({ share, file, missed }) => {
      const about = missed.length === 0 ? '' : `: never reached ${missed.join(', ')}`
      return `${String(Math.floor(share * 100)).padStart(4)} % ${file}${about}`
    })
}

type Ranges = readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
type FileCoverage = { readonly file: string; readonly share: number; readonly missed: readonly string[] }

/** Ranges are nested: the innermost one that holds a character counts. */
function fileCoverage(url: string, functions: readonly { readonly ranges: Ranges }[]): FileCoverage {
  const source = readFileSync(fileURLToPath(url), 'utf8')
  const isReached = new Uint8Array(source.length).fill(1)
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges) isReached.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  const missed: number[] = []
  let [lines, at] = [0, 0]
  for (const [index, text] of source.split('\n').entries()) {
    const isCode = /\w/.test(text) && !/^\s*(?:\/\/|\/?\*)/.test(text)
    const middle = at + text.length - text.trimStart().length
    at += text.length + 1
    if (!isCode) continue
    lines++
    if (isReached[middle] === 0) missed.push(index + 1)
  }
  return {
    file: url.slice(url.indexOf('/src/') + 1),
    share: 1 - missed.length / Math.max(lines, 1),
    missed: spans(missed),
  }
}

function spans(lines: readonly number[]): string[] {
  const found: [number, number][] = []
  for (const line of lines) {
    const last = found.at(-1)
    if (last !== undefined && line <= last[1] + 2) last[1] = line
    else found.push([line, line])
  }
  return found.map(([from, to]) => (from === to ? `line ${from}` : `lines ${from}-${to}`))
}
