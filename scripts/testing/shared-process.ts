// Many small test files in one process: starting a process and loading what most tests import takes far longer than such
// tests do. Each file becomes a suite of its name, so that its hooks are its own and what it ran can be counted.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Which files an entry file runs, by its path. */
export type Entries = ReadonlyMap<string, readonly string[]>

/** Writes the entry files into the directory. */
export function writeEntries(
  files: readonly string[],
  { directory, count, timeoutMs }: { directory: string; count: number; timeoutMs: number },
): Entries {
  const shares = Array.from({ length: Math.min(count, files.length) }, (_, n) =>
    files.filter((_file, at) => at % count === n),
  )
  return new Map(
    shares.map((share, n) => {
      const entry = join(directory, `tests-${n + 1}.mjs`)
      writeFileSync(entry, entryText(share, timeoutMs))
      return [entry, share]
    }),
  )
}

/** Node gives up on a test that takes too long, but not on a file that is never loaded. */
function entryText(files: readonly string[], timeoutMs: number): string {
  const suites = files.map(
    (file) => `suite(${JSON.stringify(file)}, () => load(${JSON.stringify(pathToFileURL(file).href)}))`,
  )
  return `import { suite } from 'node:test'
async function load(url) {
  const tooLate = setTimeout(() => {
    console.error(url + ' is not loaded after ${timeoutMs} ms')
    process.exit(1)
  }, ${timeoutMs})
  await import(url)
  clearTimeout(tooLate)
}
${suites.join('\n')}
`
}
