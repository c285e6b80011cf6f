// Ids made by the client. A create must have its id before it is first sent: only then is a repeated one the same timer.

import { platform } from '../platform.ts'

/** UUIDv7: its first 48 bits are the time, so that ids made one after the other sort that way. */
export function newTimerId(): string {
  const bytes = platform.crypto.getRandomValues(new Uint8Array(16))
  let ms = Date.now()
  for (let index = 5; index >= 0; index--) {
    bytes[index] = ms % 256
    ms = Math.floor(ms / 256)
  }
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** For X-Request-ID. */
export function newRequestId(): string {
  return `req_${hex(platform.crypto.getRandomValues(new Uint8Array(10)))}`
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
