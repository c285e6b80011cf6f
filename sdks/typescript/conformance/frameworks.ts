// Receivers on the real servers of web frameworks. Those that are not in the repository are in the folder that FRAMEWORKS names.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import Fastify from 'fastify'
import { handler } from '../src/index.ts'
import type { FiringFunction, HandlerOptions } from '../src/index.ts'
import { fastifyReceiver, nodeHandler } from '../src/node.ts'

type Serve = (run: FiringFunction, options: HandlerOptions) => Promise<string>
type WebHandler = (request: Request) => Promise<Response>
type Route = (path: string, endpoint: unknown) => void

const PATH = '/hooks/timer'

/** Resolves with the receiver's URL. */
export const SERVERS: Readonly<Record<string, Serve>> = {
  node: (run, options) => listening(createServer(nodeHandler(run, options))),
  fastify: async (run, options) => {
    const app = Fastify()
    await app.register(fastifyReceiver(run, { ...options, path: PATH }))
    return `${await app.listen({ host: '127.0.0.1', port: 0 })}${PATH}`
  },
  express: (run, options) => {
    const express = installed<() => RequestListener & { post: Route }>('express')
    const app = express()
    app.post(PATH, nodeHandler(run, options))
    return listening(createServer(app))
  },
  hono: (run, options) => {
    const { Hono } = installed<{ Hono: new () => { post: Route; fetch: unknown } }>('hono')
    const { createAdaptorServer } = installed<{ createAdaptorServer: (app: object) => Server }>('@hono/node-server')
    const app = new Hono()
    const receive = handler(run, options)
    app.post(PATH, (context: { readonly req: { readonly raw: Request } }) => receive(context.req.raw))
    return listening(createAdaptorServer({ fetch: app.fetch }))
  },
  next: async (run, options) => {
    Object.assign(globalThis, { duetimeHandler: handler(run, options) satisfies WebHandler })
    return (nextUrl ??= startNext())
  },
}

let nextUrl: Promise<string> | null = null

/** The application in scripts/tools/frameworks, as it was built; its route calls the global function. */
async function startNext(): Promise<string> {
  type Next = (options: object) => { prepare(): Promise<void>; getRequestHandler(): RequestListener }
  process.env['NEXT_TELEMETRY_DISABLED'] = '1'
  const app = installed<Next>('next')({
    dev: false,
    dir: dirname(folder()),
    hostname: '127.0.0.1',
    port: 0,
    quiet: true,
  })
  await app.prepare()
  return listening(createServer(app.getRequestHandler()))
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`
}

function installed<Module>(name: string): Module {
  return createRequire(folder())(name) as Module
}

function folder(): string {
  const { FRAMEWORKS } = process.env
  if (FRAMEWORKS === undefined) throw new Error('set FRAMEWORKS to the package.json of the installed frameworks')
  return FRAMEWORKS
}
