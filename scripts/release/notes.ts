// What CHANGELOG.md says of one version, as the notes of its release.
//
//   node scripts/release/notes.ts v1.2.3

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const CHANGELOG = join(import.meta.dirname, '..', '..', 'CHANGELOG.md')

/** Null: there is no such version in it. */
export function releaseNotes(version: string, changelog = readFileSync(CHANGELOG, 'utf8')): string | null {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((text) => text.startsWith(`[${version}]`))
  return section === undefined ? null : section.slice(section.indexOf('\n') + 1).trim()
}

if (import.meta.main) {
  const version = (process.argv[2] ?? '').replace(/^v/, '')
  const notes = releaseNotes(version)
  if (notes === null) throw new Error(`CHANGELOG.md has no entry ${version}: move what is under Unreleased there`)
  console.log(notes)
}
