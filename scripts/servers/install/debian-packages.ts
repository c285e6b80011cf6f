// Programs of any Debian release, without installing them: their packages are unpacked into a folder with all the libraries
// they need and get these, and the loader of their release, written into them. Nothing on the system changes.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from './command.ts'

/** Large, and no server needs them. */
const LEFT_OUT = /^(?:perl|libperl|libc-gconv|python3|libpython3)/

export type Unpacking = {
  /** A release such as `trixie`; null: that of this machine. */
  readonly release: string | null
  readonly packages: readonly string[]
  /** Programs to run, by their path below the root. */
  readonly programs: readonly string[]
  /** Where else than in the usual folder their libraries are, below the root. */
  readonly libraries?: readonly string[]
}

const LIBRARIES = 'usr/lib/x86_64-linux-gnu'

/** The root is `<directory>/root`. A program has paths in it, so the folder must not move: `home` is where it will be. */
export async function unpackPackages(directory: string, home: string, unpacking: Unpacking): Promise<void> {
  const { packages, programs, libraries = [] } = unpacking
  const [uri, own] = await mirror()
  for (const folder of ['lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(join(directory, folder), { recursive: true })
  writeFileSync(join(directory, 'status'), '')
  writeFileSync(join(directory, 'sources.list'), `deb ${uri} ${unpacking.release ?? own} main\n`)
  writeFileSync(join(directory, 'apt.conf'), aptConfiguration(directory))
  const env = { APT_CONFIG: join(directory, 'apt.conf') }
  await command('apt-get', ['-qq', 'update'], { env })
  await command('apt-get', ['-qq', '--yes', '--download-only', 'install', 'patchelf', ...packages], { env })
  const archives = join(directory, 'cache', 'archives')
  const root = join(directory, 'root')
  for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb') && !LEFT_OUT.test(name)))
    await command('dpkg-deb', ['-x', join(archives, file), root])
  // Older packages have some of their libraries there; on an installed system it is the same folder.
  if (existsSync(join(root, 'lib')))
    cpSync(join(root, 'lib'), join(root, 'usr', 'lib'), { recursive: true, verbatimSymlinks: true })
  const found = [LIBRARIES, ...libraries].map((folder) => join(home, 'root', folder)).join(':')
  const loader = join(root, LIBRARIES, 'ld-linux-x86-64.so.2')
  const patch = [loader, '--library-path', join(root, LIBRARIES), join(root, 'usr/bin/patchelf')] as const
  const interpreter = join(home, 'root', LIBRARIES, 'ld-linux-x86-64.so.2')
  for (const program of programs)
    await command(patch[0], [
      ...patch.slice(1),
      ...['--set-interpreter', interpreter, '--force-rpath', '--set-rpath', found, join(root, program)],
    ])
  await command('rm', ['-rf', join(directory, 'cache'), join(directory, 'lists')])
}

/** Where this machine gets its packages, and its own release. */
async function mirror(): Promise<[uri: string, release: string]> {
  const release = /^VERSION_CODENAME=(\S+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? ''
  const targets = await command('apt-get', [
    ...['indextargets', '--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages'],
  ])
  const line = targets.split('\n').find((one) => one.endsWith(` ${release}`))
  if (line === undefined) throw new Error('apt-get knows no Debian mirror: run `apt-get update` first, on Debian')
  return [line.split(' ')[0]!, release]
}

/** Lists of the unstable release may be past their date on a mirror. */
function aptConfiguration(directory: string): string {
  return `Dir::Etc::sourcelist "${directory}/sources.list"; Dir::Etc::sourceparts "-";
Dir::State::lists "${directory}/lists"; Dir::State::status "${directory}/status"; Dir::Cache "${directory}/cache";
Acquire::Check-Valid-Until "false"; Acquire::Languages "none"; APT::Install-Recommends "false"; APT::Sandbox::User "root";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
`
}
