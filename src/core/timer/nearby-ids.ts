// Where the key of a timer lies among the keys of its kind. Ids that are made one after the other mostly look like each other: they
// count, or begin with the time. Their keys lie side by side then, so that the timers of one commit share pages of the index by key;
// with keys that are nothing but a hash each of them would change a page of its own. Ids without any such order lie anywhere.
//
// Nothing depends on it but speed: what makes a key unique is the hash that follows. Stored keys begin with this, so it must stay as it is.

/** One for the kind of id, five for its place. */
export const NEIGHBORHOOD_BYTES = 6

const PLACES = 2 ** 40
const LOW_BITS = 2 ** 32
const [ZERO, NINE] = [0x30, 0x39]
const [FNV_START, FNV_PRIME] = [0x811c_9dc5, 0x0100_0193]

/** Writes the first bytes of `key`. */
export function writeNeighborhood(key: Uint8Array, namespace: string, id: string): void {
  let kind = FNV_START
  for (let at = 0; at < namespace.length; at++) kind = Math.imul(kind ^ namespace.charCodeAt(at), FNV_PRIME)
  let place = timeIn(id)
  if (place === null) {
    place = 0
    for (let at = 0; at < id.length; at++) {
      const char = id.charCodeAt(at)
      if (char < ZERO || char > NINE) kind = Math.imul(kind ^ char, FNV_PRIME)
      else {
        place = place * 10 + char - ZERO
        if (place >= PLACES) place %= PLACES
      }
    }
  }
  // An element takes the last eight bits of what it is given.
  key[0] = (kind >>> 24) ^ (kind >>> 8)
  key[1] = place / LOW_BITS
  key[2] = place >>> 24
  key[3] = place >>> 16
  key[4] = place >>> 8
  key[5] = place
}

const UUID_CHARS = 36
const UUID_V7 = /([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-[89ab][\da-f]{3}-/i
const ULID_CHARS = 26
const ULID_TIME_CHARS = 10
// With a letter: 26 digits are a number.
const ULID = /^(?=.*[a-z])[0-7][\da-hjkmnp-tv-z]{25}$/i
const BASE_32 = '0123456789abcdefghjkmnpqrstvwxyz'

/** The milliseconds that a UUIDv7, whatever stands around it, or a ULID tells. */
function timeIn(id: string): number | null {
  if (id.length >= UUID_CHARS) {
    const uuid = UUID_V7.exec(id)
    return uuid === null ? null : Number.parseInt(uuid[1]! + uuid[2]!, 16) % PLACES
  }
  if (id.length !== ULID_CHARS || !ULID.test(id)) return null
  let millis = 0
  for (const char of id.slice(0, ULID_TIME_CHARS).toLowerCase()) millis = millis * 32 + BASE_32.indexOf(char)
  return millis % PLACES
}
