// What a run of the tests amounts to: which files ran tests, how many each group ran, what was skipped, and whether that
// is as much as it should be. A group is a folder of `src/`, or another folder of the repository.

import { relative, resolve, sep } from 'node:path'

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
  readonly details?: { readonly type?: string | undefined }
  readonly skip?: string | boolean | undefined
  readonly todo?: string | boolean | undefined
}
type Group = { files: number; tests: number; skipped: number }

export class TestTally {
  readonly #root: string
  readonly #groups = new Map<string, Group>()
  /** Files of which no test was run or skipped, as far as is known. */
  readonly #silent = new Set<string>()
  readonly #skips: string[] = []
  #passed = 0
  #failed = 0
  #hasFailed = false

  constructor(root: string) {
    this.#root = root
  }

  enqueued(test: TestEvent): void {
    if (!this.#isFile(test)) return
    this.#silent.add(test.file!)
    this.#group(test.file!).files++
  }

  passed(test: TestEvent): void {
    if (this.#isFile(test)) return
    const file = (test.entryFile ?? test.file)!
    if (isSaid(test.skip)) {
      this.#silent.delete(file)
      this.#group(file).skipped++
      this.#skips.push(
        `${relative(this.#root, file)}: ${test.name}: ${typeof test.skip === 'string' && test.skip !== '' ? test.skip : 'no reason is given'}`,
      )
    } else if (this.#ran(test, file)) {
      this.#passed++
    }
  }

  failed(test: TestEvent): void {
    if (!isSaid(test.todo)) this.#hasFailed = true
    const file = (test.entryFile ?? test.file)!
    // The file as a whole fails because of its tests, because of a hook, or because of how its process ended.
    if (this.#isFile(test) ? !this.#silent.has(file) : this.#ran(test, file)) this.#failed++
  }

  #ran({ details }: TestEvent, file: string): boolean {
    if (details?.type === 'suite') return false
    this.#silent.delete(file)
    this.#group(file).tests++
    return true
  }

  /** What this run counted, as the next one's minimum. */
  minimum(): Minimum {
    return Object.fromEntries(this.#sortedGroups().map(([name, { tests }]) => [name, tests]))
  }

  verdict({ minimum, maySkip }: { readonly minimum: Minimum; readonly maySkip: boolean }): Verdict {
    const faults = [
      ...[...this.#silent].map(
        (file) =>
          `${relative(this.#root, file)} ran no test. Its process ended before one began, or there is none in it.`,
      ),
      ...(maySkip ? [] : this.#skips.map((skip) => `CI must not skip a test: ${skip}`)),
      ...Object.entries(minimum).flatMap(([name, least]) => this.#shortfall(name, least)),
    ]
    const lines = [
      'tests by group:',
      ...this.#sortedGroups().map(
        ([name, { files, tests, skipped }]) =>
          `  ${name}: ${tests} tests in ${files} files${skipped === 0 ? '' : `, ${skipped} skipped`}`,
      ),
      ...(maySkip ? this.#skips.map((skip) => `skipped: ${skip}`) : []),
      ...faults.map((fault) => `FAILED: ${fault}`),
      `${this.#passed} passed, ${this.#failed + faults.length} failed`,
    ]
    return { lines, isSuccess: faults.length === 0 && !this.#hasFailed }
  }

  #shortfall(name: string, least: number): string[] {
    const { tests, skipped } = this.#groups.get(name) ?? { tests: 0, skipped: 0 }
    // A suite that is skipped counts as one, so there is nothing to compare.
    if (tests >= least || skipped > 0) return []
    return [
      `${name} ran ${tests} tests and should run at least ${least}. Where tests were removed on purpose, say so in scripts/test-minimum.json.`,
    ]
  }

  #sortedGroups(): [string, Group][] {
    return [...this.#groups].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }

  /** Node makes one test of each file, named for its path. */
  #isFile({ name, file, nesting }: TestEvent): boolean {
    return nesting === 0 && file !== undefined && resolve(this.#root, name) === file
  }

  #group(file: string): Group {
    const [first = '', second = ''] = relative(this.#root, file).split(sep)
    const name = first === '..' ? 'elsewhere' : first === 'src' && !second.includes('.') ? `${first}/${second}` : first
    return this.#groups.getOrInsertComputed(name, () => ({ files: 0, tests: 0, skipped: 0 }))
  }
}

function isSaid(mark: string | boolean | undefined): boolean {
  return mark !== undefined && mark !== false
}
