// Names and numbers derived from a timer's namespace and id: the same on every node and in every store.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { invalidInput } from '../errors.ts'
import { ID_CHARS_MAX, NAMESPACE_CHARS_MAX } from '../limits.ts'
import { NEIGHBORHOOD_BYTES, writeNeighborhood } from './nearby-ids.ts'
import { assertStorable } from '../json/storable-text.ts'
import type { Namespace, ShardId, Timer, TimerId, TimerUuid } from './timer.ts'

export const DEFAULT_NAMESPACE = 'default' as Namespace

const NAMESPACE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const utf8 = new TextEncoder()

/** Namespaces appear in metrics labels, key files and message subjects: letters, digits, dot, dash, underscore. */
export function parseNamespace(text: string, field = 'namespace'): Namespace {
  if (text.length === 0 || text.length > NAMESPACE_CHARS_MAX || !NAMESPACE_PATTERN.test(text)) {
    throw invalidInput(
      field,
      `${field} must be 1 to ${NAMESPACE_CHARS_MAX} letters, digits, '.', '-' or '_', and start with a letter or digit`,
    )
  }
  return text as Namespace
}

/** What the service keeps for itself in rows of timers is in namespaces that no client can name; see rules/internal/document.ts. */
export const INTERNAL_PREFIX = '~'

export function isInternal(namespace: Namespace): boolean {
  return namespace.startsWith(INTERNAL_PREFIX)
}

/** Any Unicode text, slashes and spaces included; only what cannot be stored or compared as text is refused. */
export function parseTimerId(text: string, field = 'id'): TimerId {
  if (text.length === 0 || text.length > ID_CHARS_MAX)
    throw invalidInput(field, `${field} must have 1 to ${ID_CHARS_MAX} characters`)
  assertStorable(text, field)
  return text as TimerId
}

/**
 * The stable key of (namespace, id): where the id lies among others like it, then 80 bits of a cryptographic hash, so that nobody
 * can craft an id that lands on another namespace's timer. NUL cannot occur in a namespace, so the join is unambiguous.
 */
export function timerUuid(namespace: Namespace, id: TimerId): TimerUuid {
  const { written } = utf8.encodeInto(`${namespace}\0${id}`, text)
  // oxlint-disable-next-line eslint/no-underscore-dangle -- its own name for taking over another hasher's state
  hasher = FRESH._cloneInto(hasher)
  hasher.update((texts[written] ??= text.subarray(0, written))).digestInto(digest)
  writeNeighborhood(key, namespace, id)
  return bytesToHex(key) as TimerUuid
}

// Every create hashes: its buffers are made once, which halves what a hash costs.
const text = new Uint8Array(4 * (NAMESPACE_CHARS_MAX + 1 + ID_CHARS_MAX))
/** Its beginnings, by their length. */
const texts: (Uint8Array | undefined)[] = Array.from({ length: text.length + 1 })
const KEY_BYTES = 16
const buffer = new Uint8Array(NEIGHBORHOOD_BYTES + 32)
const digest = buffer.subarray(NEIGHBORHOOD_BYTES)
const key = buffer.subarray(0, KEY_BYTES)
const HASHED_AT = 2 * NEIGHBORHOOD_BYTES // the first hexadecimal digit of the hash
const FRESH = sha256.create()
let hasher = sha256.create()

/** 32 hex digits, for what is hashed now and then; `timerUuid` is for every create. */
export function hash128(about: string): string {
  return bytesToHex(sha256(utf8.encode(about)).subarray(0, 16))
}

/** How a timer is called: by its users, and in the store. */
export type TimerIdentity = { readonly namespace: Namespace; readonly id: TimerId; readonly uuid: TimerUuid }

export function timerIdentity(namespace: Namespace, id: TimerId): TimerIdentity {
  return { namespace, id, uuid: timerUuid(namespace, id) }
}

/** Two timers may have one key: as good as impossible by chance, and whoever tries for long can make two of their own. */
export function isSameTimer(a: Named, b: Named): boolean {
  return a.id === b.id && a.namespace === b.namespace
}

type Named = { readonly namespace: Namespace; readonly id: TimerId }

/** Which of `shards` shards holds the timer, counted from 0. */
export function shardOf(uuid: TimerUuid, shards: number): ShardId {
  return (shards === 1 ? 0 : Number.parseInt(uuid.slice(HASHED_AT, HASHED_AT + 8), 16) % shards) as ShardId
}

/**
 * Names one firing on all its attempts, so that a receiver can deduplicate. `createdAt` keeps it unique
 * when the id is used again after the old timer was pruned and the firing counter began anew.
 */
export function deliveryId({
  uuid,
  createdAt,
  firing,
  extra,
}: Pick<Timer, 'uuid' | 'createdAt' | 'firing' | 'extra'>): string {
  if (createdAt !== lastCreatedAt) {
    lastCreatedAt = createdAt
    lastCreatedText = createdAt.toString(36)
  }
  return `${uuid}-${lastCreatedText}-${extra === null ? firing : `x${extra.number}`}`
}

// Many timers are created in one millisecond, and numbers are slow to write in base 36.
let lastCreatedAt = 0
let lastCreatedText = '0'

/** A number in [0, 1) that is the same for the same attempt of the same firing: see JITTER in retry.ts. */
export function spreadOf(timer: Pick<Timer, 'uuid' | 'firing' | 'attempts'>): number {
  const seed =
    Number.parseInt(timer.uuid.slice(HASHED_AT + 8, HASHED_AT + 16), 16) ^ Math.imul(timer.firing, 0x9e37_79b1)
  const mixed = Math.imul(seed, 0x85eb_ca6b) + timer.attempts
  return (Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35) >>> 0) / 2 ** 32
}
