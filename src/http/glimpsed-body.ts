// A look into the body of a request that is refused before it was read: on a path that two contracts share, only the
// body tells whose words the refusal should be in. Little is read, since whoever is asking has shown no right to more.

import type { IncomingMessage } from 'node:http'

const GLIMPSE_BYTES_MAX = 16 * 1_024 // an honest create is smaller

/** Undefined when there is none, it is too large, or it is no JSON. The server's request timeout bounds it in time. */
export async function glimpseBody(request: IncomingMessage): Promise<unknown> {
  if (request.readableEnded || request.destroyed || Number(request.headers['content-length'] ?? 0) > GLIMPSE_BYTES_MAX) return undefined
  const text = await firstBytes(request)
  try {
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Null when there are more. What is left then is thrown away by Node once the answer is out. */
function firstBytes(request: IncomingMessage): Promise<string | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const end = (isWhole: boolean) => {
      request.off('data', take).off('end', whole).off('close', broken)
      resolve(isWhole ? Buffer.concat(chunks).toString('utf8') : null)
    }
    const whole = () => end(true)
    const broken = () => end(false)
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > GLIMPSE_BYTES_MAX) end(false)
    }
    request.on('data', take).once('end', whole).once('close', broken).resume()
  })
}
