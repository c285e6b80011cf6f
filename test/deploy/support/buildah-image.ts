// The image built by buildah, where there is no Docker engine and no registry of images: with chroot isolation, which needs no rights of
// a container engine, and on a base that is made of what is on this machine. Its base is the only thing that is not as in a release.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { programPath } from '../../../scripts/servers/install/command.ts'
import { endsWithTest } from '../../support/child-processes.ts'
import { cleanUp } from '../../support/cleanup.ts'
import { ROOT, run } from '../../support/packed.ts'
import { tempDir } from '../../support/temp-dir.ts'

const BASE = 'localhost/duetime-base'
const TAG = 'localhost/duetime-test'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node')

/** What is missing; null when the image can be built. */
export function missingBuildah(): string | null {
  const missing = ['buildah', 'busybox'].filter((program) => programPath(program) === null)
  if (missing.length > 0) return `a Docker engine, or ${missing.join(' and ')} (apt-get install buildah busybox-static)`
  if (process.getuid?.() !== 0) return 'a Docker engine, or root for buildah'
  // Not every machine lets root do that: it may be a container itself.
  const { status } = spawnSync('unshare', ['--mount', 'mount', '--bind', '/', '/mnt'])
  return status === 0 ? null : 'a Docker engine, or a machine that lets buildah mount'
}

export class BuildahImage {
  readonly #dir: string
  readonly #global: readonly string[]

  /** Takes minutes: npm installs everything twice, as for a release. */
  static async build(t: TestContext): Promise<BuildahImage> {
    const image = new BuildahImage(tempDir(t))
    await image.#makeBase()
    const files = ['--file', 'deploy/docker/Dockerfile', '--ignorefile', 'deploy/docker/Dockerfile.dockerignore']
    const base = ['--pull-never', '--build-arg', `NODE_IMAGE=${BASE}`]
    await image.#buildah('bud', '--isolation', 'chroot', ...base, ...files, '--tag', TAG, '.')
    return image
  }

  private constructor(dir: string) {
    this.#dir = dir
    this.#global = ['--root', join(dir, 'store'), '--runroot', join(dir, 'run'), '--storage-driver', 'vfs']
  }

  /** A container of it, which runs what the image says, as the user that it says. */
  async start(t: TestContext, env: Readonly<Record<string, string>>): Promise<string> {
    const container = await this.#buildah('from', '--pull-never', TAG)
    type Config = { readonly OCIv1: { readonly config: { readonly Entrypoint: string[]; readonly Cmd: string[] } } }
    const { config } = (JSON.parse(await this.#buildah('inspect', container)) as Config).OCIv1
    const settings = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const args = ['run', '--isolation', 'chroot', ...settings, container, '--', ...config.Entrypoint, ...config.Cmd]
    const child = endsWithTest(spawn(programPath('buildah')!, [...this.#global, ...args], { stdio: 'ignore' }))
    const closed = new Promise((resolve) => child.once('close', resolve))
    cleanUp(t, async () => {
      child.kill('SIGTERM') // buildah passes it on, and unmounts when the service has ended
      await closed
    })
    return container
  }

  /** What a command says, in a container. */
  inside(container: string, ...command: readonly string[]): Promise<string> {
    return this.#buildah('run', '--isolation', 'chroot', container, '--', ...command)
  }

  async #buildah(...args: readonly string[]): Promise<string> {
    return (await run(programPath('buildah')!, [...this.#global, ...args], ROOT)).stdout.trim()
  }

  /** The pinned Node with the libraries it needs, npm, a shell, and the user that the official image has. */
  async #makeBase(): Promise<void> {
    const root = join(this.#dir, 'base')
    const add = (from: string, to = from) => {
      if (existsSync(join(root, to))) return // a library of two programs
      mkdirSync(join(root, dirname(to)), { recursive: true })
      cpSync(from, join(root, to), { dereference: true, recursive: true })
    }
    const addProgram = (from: string, to = from) => {
      add(from, to)
      const libraries = execFileSync(programPath('ldd')!, [from], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)
      for (const [, library] of libraries) {
        add(library!)
        if (!library!.endsWith('/libc.so.6')) continue
        // What belongs to the same library and addons may ask for.
        for (const name of ['librt.so.1', 'libutil.so.1', 'libresolv.so.2']) add(join(dirname(library!), name))
      }
    }
    addProgram(NODE, '/usr/local/bin/node')
    addProgram(programPath('install')!) // Debian's busybox has none
    add(dirname(dirname(realpathSync(programPath('npm')!))), '/usr/local/lib/npm')
    if (existsSync(CERTIFICATES)) add(CERTIFICATES)
    const busybox = programPath('busybox')!
    add(busybox)
    mkdirSync(join(root, 'bin'), { recursive: true })
    execFileSync(busybox, ['--install', '-s', join(root, 'bin')]) // links to where it is on this machine, and so there
    symlinkSync(busybox, join(root, 'usr/bin/env')) // scripts of npm packages begin with it
    writeFileSync(join(root, 'usr/local/bin/npm'), '#!/bin/sh\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\n')
    chmodSync(join(root, 'usr/local/bin/npm'), 0o755)
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
    writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
    for (const folder of ['tmp', 'root', 'home/node']) mkdirSync(join(root, folder), { recursive: true })
    chmodSync(join(root, 'tmp'), 0o1777)
    const container = await this.#buildah('from', 'scratch')
    await this.#buildah('copy', container, root, '/')
    const env = ['--env', 'PATH=/usr/local/bin:/usr/bin:/bin', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`]
    await this.#buildah('config', ...env, container)
    await this.#buildah('commit', container, BASE)
    await this.#buildah('rm', container)
  }
}
