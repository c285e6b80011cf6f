// What a run of the tests amounts to: which files ran tests, how many each part of the repository ran, what was skipped,
// and whether that is as much as it should be. A part is what a group has in a folder of `src/`, or in another folder of
// the repository.

import { relative, resolve, sep } from 'node:path'
import { isExcused } from './cannot-be-had.ts'
import type { Entries } from './shared-process.ts'

export type Minimum = Readonly<Record<string, number>>
export type Verdict = { readonly lines: readonly string[]; readonly isSuccess: boolean }

/** Of the events of `node:test`, as much as is needed here. */
export type TestEvent = {
  readonly name: string
  readonly nesting: number
  /** Where the test is written, which may be a suite that several files share. */
  readonly file?: string | undefined
  /** The file that was run. */
  readonly entryFile?: string | undefined
  readonly details?: {
    readonly type?: string | undefined
    readonly duration_ms?: number
    readonly error?: unknown
  }
  readonly skip?: string | boolean | undefined
  readonly todo?: string | boolean | undefined
}
export type TallyOptions = {
  readonly root: string
  /** The group of a file, by its path from the root. */
  readonly groupOf: (path: string) => string | null
  /** Files that run many others, each of them as a suite named for its path. */
  readonly entries?: Entries
}
type Part = { files: number; tests: number; skipped: number; excused: number }

export class TestTally {
  readonly #root: string
  readonly #groupOf: TallyOptions['groupOf']
  readonly #entries: Entries
  /** The file whose suite each of the entries is at. */
  readonly #current = new Map<string, string>()
  readonly #parts = new Map<string, Part>()
  /** Files of which no test was run or skipped, as far as is known. */
  readonly #silent = new Set<string>()
  readonly #durations = new Map<string, number>()
  readonly #skips: { readonly line: string; readonly excused: boolean }[] = []
  #passed = 0
  #failed = 0
  #hasFailed = false

  constructor({ root, groupOf, entries = new Map() }: TallyOptions) {
    this.#root = root
    this.#groupOf = groupOf
    this.#entries = entries
    for (const file of [...entries.values()].flat()) this.#expect(file)
  }

  enqueued(test: TestEvent): void {
    if (this.#isFile(test) && !this.#entries.has(test.file!)) this.#expect(test.file!)
  }

  started(test: TestEvent): void {
    if (this.#isShared(test) && test.nesting === 0) this.#current.set(test.entryFile!, test.name)
  }

  completed(test: TestEvent): void {
    if (this.#isFile(test) && !this.#entries.has(test.name))
      this.#durations.set(resolve(this.#root, test.name), test.details?.duration_ms ?? 0)
  }

  passed(test: TestEvent): void {
    if (this.#isFile(test)) return
    const file = this.#fileOf(test)
    if (isSaid(test.skip)) {
      this.#silent.delete(file)
      this.#part(file).skipped++
      const reason = typeof test.skip === 'string' && test.skip !== '' ? test.skip : 'no reason is given'
      const excused = isExcused(test.skip)
      if (excused) this.#part(file).excused++
      this.#skips.push({ line: `${relative(this.#root, file)}: ${test.name}: ${reason}`, excused })
    } else if (this.#ran(test, file)) {
      this.#passed++
    }
  }

  failed(test: TestEvent): void {
    if (!isSaid(test.todo)) this.#hasFailed = true
    const file = this.#fileOf(test)
    // The file as a whole fails because of its tests, because of a hook, or because of how its process ended.
    if (this.#isFile(test) ? !this.#silent.has(file) && !failedInside(test) : this.#ran(test, file)) this.#failed++
  }

  #expect(file: string): void {
    this.#silent.add(file)
    this.#part(file).files++
  }

  #ran({ details }: TestEvent, file: string): boolean {
    if (details?.type === 'suite') return false
    this.#silent.delete(file)
    this.#part(file).tests++
    return true
  }

  /** What this run counted, as the next one's minimum. */
  minimum(): Minimum {
    return Object.fromEntries(this.#sortedParts().map(([name, { tests }]) => [name, tests]))
  }

  verdict({ minimum, maySkip }: { readonly minimum: Minimum; readonly maySkip: boolean }): Verdict {
    const refused = maySkip ? [] : this.#skips.filter(({ excused }) => !excused)
    const faults = [
      ...[...this.#silent].map(
        (file) =>
          `${relative(this.#root, file)} ran no test. Its process ended before one began, or there is none in it.`,
      ),
      ...refused.map(({ line }) => `CI must not skip a test: ${line}`),
      ...Object.entries(minimum).flatMap(([name, least]) => this.#shortfall(name, least)),
    ]
    const lines = [
      'tests:',
      ...this.#sortedParts().map(
        ([name, { files, tests, skipped }]) =>
          `  ${name}: ${tests} tests in ${files} files${skipped === 0 ? '' : `, ${skipped} skipped`}`,
      ),
      ...this.#skips.filter((skip) => !refused.includes(skip)).map(({ line }) => `skipped: ${line}`),
      ...faults.map((fault) => `FAILED: ${fault}`),
      `${this.#passed} passed, ${this.#failed + faults.length} failed`,
    ]
    return { lines, isSuccess: faults.length === 0 && !this.#hasFailed }
  }

  #shortfall(name: string, least: number): string[] {
    const { tests, skipped, excused } = this.#parts.get(name) ?? { tests: 0, skipped: 0, excused: 0 }
    // A suite that is skipped counts as one, so there is nothing to compare. What cannot be had is said of single tests.
    if (tests + excused >= least || skipped > excused) return []
    return [
      `${name} ran ${tests} tests and should run at least ${least}. Where tests were removed on purpose, say so in scripts/testing/minimum.json.`,
    ]
  }

  #sortedParts(): [string, Part][] {
    return [...this.#parts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }

  /** The files that took longest, one line each. */
  slowest(count: number): string[] {
    const slowest = [...this.#durations].toSorted(([, a], [, b]) => b - a).slice(0, count)
    const line = ([file, ms]: [string, number]) =>
      `  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${relative(this.#root, file)}`
    return slowest.length < 2 ? [] : ['slowest files:', ...slowest.map(line)]
  }

  /** Node makes one test of each file, named for its path, and an entry makes a suite of each of its files. */
  #isFile(test: TestEvent): boolean {
    if (test.nesting !== 0 || test.file === undefined) return false
    return this.#isShared(test) || resolve(this.#root, test.name) === test.file
  }

  /** Whether it is a test of an entry, and not the entry as a whole. */
  #isShared({ entryFile, name }: TestEvent): boolean {
    return entryFile !== undefined && this.#entries.has(entryFile) && name !== entryFile
  }

  #fileOf(test: TestEvent): string {
    const own = (test.entryFile ?? test.file)!
    if (!this.#isShared(test)) return own
    return test.nesting === 0 ? test.name : (this.#current.get(own) ?? own)
  }

  #part(file: string): Part {
    const path = relative(this.#root, file)
    const [first = '', second = ''] = path.split(sep)
    const folder = first === 'src' && !second.includes('.') ? `${first}/${second}` : first
    const name = first === '..' ? 'elsewhere' : `${this.#groupOf(path)}: ${folder}`
    return this.#parts.getOrInsertComputed(name, () => ({ files: 0, tests: 0, skipped: 0, excused: 0 }))
  }
}

function isSaid(mark: string | boolean | undefined): boolean {
  return mark !== undefined && mark !== false
}

/** A suite fails with its tests, which were counted already. */
function failedInside({ details }: TestEvent): boolean {
  const error = details?.error as { readonly failureType?: unknown } | undefined
  return details?.type === 'suite' && error?.failureType === 'subtestsFailed'
}
