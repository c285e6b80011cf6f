// Keys on their way to other threads: plain values, since objects of classes do not survive it.

import { SubjectPatterns } from '../../core/timer/subject.ts'
import type { Principal } from '../../core/access/access.ts'
import type { KeyEntry } from '../../service/keys/key-entries.ts'

export type PlainKey = {
  readonly hash: string
  readonly principal: Omit<Principal, 'natsSubjects'>
  readonly subjects: readonly string[] | null
}

export function plainKey({ hash, principal: { natsSubjects, ...principal } }: KeyEntry): PlainKey {
  return { hash, principal, subjects: natsSubjects?.patterns ?? null }
}

export function keyOf({ hash, principal, subjects }: PlainKey): KeyEntry {
  return {
    hash,
    principal: { ...principal, ...(subjects !== null && { natsSubjects: new SubjectPatterns(subjects) }) },
  }
}
