// A client that sends `Expect: 100-continue` waits to be told before it sends its body. It is told when the body is about
// to be read: a request that is refused by its headers is answered at once, and the body is never sent.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** The requests whose clients wait. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

export function holdBackBodies(server: Server): void {
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response)
    // Answered without its body, the connection is of no use: what comes next on it may be that body or another request.
    response.setHeader('connection', 'close')
    server.emit('request', request, response)
  })
}

/** To be called before a body is read. */
export function askForBody(request: IncomingMessage): void {
  if (request.headers.expect === undefined) return
  const response = waiting.get(request)
  response?.removeHeader('connection')
  response?.writeContinue()
}
