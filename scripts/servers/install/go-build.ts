// Programs of Go modules, built in a folder with a go.mod of their own: that pins every version and repeats the `replace`
// lines, which `go install` refuses.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from './command.ts'

export type GoProgram = {
  readonly goMod: string
  /** What to build, and the name of the program. */
  readonly importPath: string
  readonly binary: string
  /** A version of Go that is fetched when the machine has another; null: the machine's. */
  readonly toolchain: string | null
}

export async function buildGoProgram(
  directory: string,
  { goMod, importPath, binary, toolchain }: GoProgram,
): Promise<void> {
  const build = join(directory, 'build')
  mkdirSync(build)
  writeFileSync(join(build, 'go.mod'), goMod)
  const env = { GOFLAGS: '-mod=mod', ...(toolchain !== null && { GOTOOLCHAIN: toolchain }) }
  await command('nice', ['go', 'build', '-p', '2', '-o', join(directory, binary), importPath], { cwd: build, env })
  rmSync(build, { recursive: true, force: true })
}
