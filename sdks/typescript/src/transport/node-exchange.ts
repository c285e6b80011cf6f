// Requests by `node:http` on connections that stay open, which cost Node half of what its `fetch` does. The module is
// asked for when the program runs, not imported: the same file loads in browsers, where there is none.

import { viewedAs } from '../platform.ts'
import type { Exchange, Incoming, Outgoing } from './exchange.ts'

const IDLE_CONNECTION_MS = 4_000 // most servers close idle connections after 5 s or later

type Stream = {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'data', listener: (chunk: string) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
}
type NodeResponse = Stream & {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly complete: boolean
  setEncoding(encoding: 'utf8'): unknown
  resume(): unknown
}
type NodeRequest = Stream & { end(body?: string): unknown; destroy(): unknown }
type NodeHttp = {
  readonly Agent: new (options: object) => object
  request(options: object, onResponse: (response: NodeResponse) => void): NodeRequest
}
type Runtime = {
  readonly Deno?: unknown
  readonly Buffer?: { byteLength(text: string): number }
  readonly process?: {
    readonly versions?: Readonly<Record<string, string>>
    getBuiltinModule?(this: unknown, name: string): unknown
  }
}

/** Null on other platforms (Bun and Deno have a fast `fetch` of their own) and for what is not a whole http or https URL. */
export function nodeExchange(url: string, redirected: Exchange): Exchange | null {
  const { process, Deno, Buffer } = viewedAs<Runtime>(globalThis)
  if (process?.versions?.['node'] === undefined || process.versions['bun'] !== undefined || Deno !== undefined)
    return null
  const place = /^(https?:)\/\/(?!.*@)(\[[^\]/?#]+\]|[^:/?#]+)(?::(\d+))?([^?#]*)$/i.exec(url)
  if (place === null || Buffer === undefined) return null
  const [, protocol = '', host = '', port, prefix = ''] = place
  const http = process.getBuiltinModule?.(`node:${protocol.slice(0, -1).toLowerCase()}`) as NodeHttp | undefined
  if (http === undefined) return null
  const at = {
    agent: new http.Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
    host: host.replace(/^\[(.*)\]$/, '$1'),
    ...(port !== undefined && { port: Number(port) }),
  }
  const optionsOf = ({ method, path, headers, body }: Outgoing) => ({
    ...at,
    method,
    path: `${prefix}${path}`,
    headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
  })
  return (outgoing, ending) =>
    new Promise<Incoming>((resolve, reject) => {
      const request = http.request(optionsOf(outgoing), (response) => {
        const { statusCode, headers } = response
        if (statusCode >= 300 && statusCode < 400) {
          response.resume()
          resolve(redirected(outgoing, ending))
          return
        }
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => (text += chunk))
        response.on('error', reject)
        response.on('close', () => {
          if (!response.complete) return reject(new Error('the connection broke before the answer was complete'))
          resolve({ status: statusCode, header: (name) => headerText(headers[name]), text })
        })
      })
      request.on('error', reject)
      ending.onEnd = () => request.destroy()
      request.end(outgoing.body)
    })
}

function headerText(value: string | readonly string[] | undefined): string | null {
  return value === undefined ? null : typeof value === 'string' ? value : value.join(', ')
}
