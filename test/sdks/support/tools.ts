// What tests of an SDK need of the machine: without it they are skipped, with a word that says what to install.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingTools, sdkFolder } from '../../../scripts/sdks/languages.ts'
import type { Language } from '../../../scripts/sdks/languages.ts'

export type Skip = { readonly skip: string | false }

export function skipWithout(language: Language): Skip {
  return { skip: missingTools(language) ?? false }
}

/** The first program under the heading *Quick start* of its README, as its readers copy it. */
export function quickStart(language: Language | 'typescript'): string {
  const readme = readFileSync(join(sdkFolder(language), 'README.md'), 'utf8')
  const program = /^## Quick start$[\s\S]*?^```\w+\n([\s\S]*?)^```$/m.exec(readme)?.[1]
  if (program === undefined) throw new Error(`the README of ${language} has no program under "## Quick start"`)
  return program
}
