// The web UI: what `npm run build` left in web/dist, read when the service starts and served from memory. Each file is a
// route of its own, so there is no path that could lead out of the folder. It is the same for everyone and needs no key;
// what it asks the API for does.

import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { zlib } from '../../runtime/builtin-modules.ts'
import { MISSING_PAGE } from '../errors/missing-page.ts'
import { readWebFolder } from './web-folder.ts'

export type WebFile = {
  /** As a browser asks for it: `/assets/index-B3xk9q.js`. */
  readonly path: string
  readonly type: string
  readonly etag: string
  readonly content: Buffer
  /** By encoding, where that is worth it. Made when it is first asked for, so that no start waits for it. */
  readonly compressed: Readonly<Partial<Record<string, () => Promise<Buffer>>>>
  /** Its name changes with its content. */
  readonly isImmutable: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}
const COMPRESSED = /^(?:text\/|application\/|image\/svg)/
const COMPRESSED_FROM_BYTES = 1_024 // below that one packet has it anyway
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/
const INDEX = '/index.html'
const PREFIX = '/ui'

/**
 * Null when the UI was not built, or cannot be read: timers fire without it. Files of kinds that a page has no use for,
 * such as source maps, are left out.
 */
export async function readWebFiles(folder: string): Promise<readonly WebFile[] | null> {
  try {
    return await readAll(folder)
  } catch {
    return null
  }
}

async function readAll(folder: string): Promise<readonly WebFile[] | null> {
  const contents = [...(await readWebFolder(folder))].filter(([path]) => TYPES[extname(path)] !== undefined)
  const files = contents.map(([path, content]) => webFile(path, content))
  return files.some(({ path }) => path === INDEX) ? files : null
}

function webFile(path: string, content: Buffer): WebFile {
  const type = TYPES[extname(path)]!
  const etag = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  const isCompressed = COMPRESSED.test(type) && content.length >= COMPRESSED_FROM_BYTES
  return {
    path,
    type,
    etag,
    content,
    compressed: isCompressed ? compressions(content) : {},
    isImmutable: HASHED.test(path),
  }
}

function compressions(content: Buffer): WebFile['compressed'] {
  // One below the best: it takes a tenth of the time and the result is a few per cent longer.
  const params = {
    [zlib.constants.BROTLI_PARAM_QUALITY]: zlib.constants.BROTLI_MAX_QUALITY - 2,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  return {
    br: once(() => promisify(zlib.brotliCompress)(content, { params })),
    gzip: once(() => promisify(zlib.gzip)(content)),
  }
}

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null // the next one may have more luck
      throw error
    })
    return made
  }
}

const SECURITY = {
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'",
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * The page is at `/` and shows what the part of the URL behind its `#` says; each other file is under its own path. Who
 * writes `/ui/timers` by hand is sent to `/#/timers`: without the prefix it would be a path of some contract.
 */
export function registerWebPage(app: FastifyInstance, files: readonly WebFile[] | null): void {
  const open = { config: { open: true }, schema: { hide: true } }
  const index = files?.find(({ path }) => path === INDEX)
  const page = (request: FastifyRequest, reply: FastifyReply) => {
    return index === undefined
      ? reply.headers(MISSING_PAGE.headers).send(MISSING_PAGE.html)
      : sendFile(index, request, reply)
  }
  app.get('/', open, page)
  for (const path of [PREFIX, `${PREFIX}/*`]) {
    app.get(path, open, (request, reply) => reply.redirect(`/#${request.url.slice(PREFIX.length)}`))
  }
  for (const file of files ?? []) app.get(routeOf(file.path), open, (request, reply) => sendFile(file, request, reply))
}

async function sendFile(
  { etag, type, content, compressed, isImmutable }: WebFile,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const encoding = Object.keys(compressed).find((name) => accepts(headers['accept-encoding'], name)) ?? 'identity'
  const tag = `"${etag}-${encoding}"`
  reply.headers({
    ...SECURITY,
    etag: tag,
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  if (Object.keys(compressed).length > 0) reply.header('vary', 'accept-encoding')
  if (headers['if-none-match']?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag))
    return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.header('content-type', type).send((await compressed[encoding]?.()) ?? content)
}

function accepts(header: string | string[] | undefined, encoding: string): boolean {
  return [header ?? '']
    .flat()
    .join(',')
    .split(',')
    .some((one) => {
      const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
      return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    })
}

/** What the router would take for a parameter is a character of the name here. */
function routeOf(path: string): string {
  return encodeURI(path).replaceAll(':', '::')
}
