// Checks the SDKs in other languages with their own tools: types, linters, unit tests.
//
//   node scripts/sdks/main.ts            all of them
//   node scripts/sdks/main.ts python go

import { CHECKS, missingTools } from './languages.ts'
import type { Language } from './languages.ts'

const all = Object.keys(CHECKS) as Language[]
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !all.some((language) => language === name))
if (unknown.length > 0)
  throw new Error(`no SDK is called ${unknown.join(', ')}: give ${all.join(', ')}, or none for all`)

for (const language of asked.length === 0 ? all : (asked as Language[])) {
  const missing = missingTools(language)
  if (missing !== null) throw new Error(`${language} ${missing}`)
  await CHECKS[language]()
  console.log(`${language}: ok`)
}
