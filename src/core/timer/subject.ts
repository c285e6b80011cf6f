// Subjects of a broker: words joined by dots. In a pattern `*` stands for one word and `>`, at the end, for one or more.

import { parseNamespace } from './ids.ts'
import type { Namespace } from './timer.ts'

export const SUBJECT_CHARS_MAX = 512 // of topic and key together; servers stop reading at 4,096 with everything around it

const SUBJECT = /^[^\s\0-\x20\x7f.*>]+(?:\.[^\s\0-\x20\x7f.*>]+)*$/
/** The broker's own: its APIs, key-value buckets, object stores, and where answers to requests come in, from other accounts and clusters too. */
const BROKER_SUBJECT = /^(?:\$|_INBOX\.|_R_\.|_GR_\.)/

/** Why nothing may be published there, or null: as the end of a sentence that begins with the subject's name. */
export function subjectFault(subject: string): string | null {
  if (subject === '') return 'must not be empty'
  if (subject.length > SUBJECT_CHARS_MAX) return `must not have more than ${SUBJECT_CHARS_MAX} characters`
  if (!SUBJECT.test(subject) || !subject.isWellFormed()) return spellingFault(subject)
  if (BROKER_SUBJECT.test(subject))
    return "must not begin with '$', '_INBOX.', '_R_.' or '_GR_.': those subjects belong to the broker itself"
  return null
}

function spellingFault(subject: string): string {
  if (/[*>]/.test(subject)) return "must not contain the wildcards '*' and '>'"
  if (/^\.|\.$|\.\./.test(subject)) return 'must not begin or end with a dot, or have two in a row'
  return 'must not contain spaces or control characters'
}

/** Why this is no pattern of subjects, or null: as the end of a sentence that begins with the pattern's name. */
export function subjectPatternFault(pattern: string): string | null {
  const words = pattern.split('.')
  const isGood =
    pattern.length <= SUBJECT_CHARS_MAX && words.every((word, index) => isPatternWord(word, index === words.length - 1))
  return isGood
    ? null
    : "must be words joined by dots, with '*' for one word and '>' at the end for one or more, such as orders.*.paid or orders.>"
}

function isPatternWord(word: string, isLast: boolean): boolean {
  return word === '*' || (word === '>' && isLast) || (SUBJECT.test(word) && word.isWellFormed())
}

const NOTHING = /(?!)/

/** Several patterns as one expression: callbacks are compared with it on every delivery. */
export class SubjectPatterns {
  readonly patterns: readonly string[]
  readonly #expression: RegExp

  constructor(patterns: readonly string[]) {
    this.patterns = patterns
    this.#expression =
      patterns.length === 0 ? NOTHING : new RegExp(`^(?:${patterns.map(expressionOf).join('|')})$`, 's')
  }

  match(subject: string): boolean {
    return this.#expression.test(subject)
  }
}

function expressionOf(pattern: string): string {
  return pattern.split('.').map(wordExpression).join('\\.')
}

function wordExpression(word: string): string {
  if (word === '*') return '[^.]+'
  return word === '>' ? '.+' : word.replaceAll(/[\\^$*+?()[\]{}|]/g, String.raw`\$&`)
}

export function subjectMatches(pattern: string, subject: string): boolean {
  return new SubjectPatterns([pattern]).match(subject)
}

const DOT = '%2E'

/**
 * A namespace as exactly one word of a subject. A dot would make two of it: whoever may use `a.>` would reach the
 * namespace `a.b`, and `a.b` could spell subjects of `a`. What the dot becomes is in no namespace's name.
 */
export function namespaceWord(namespace: Namespace): string {
  return namespace.replaceAll('.', DOT)
}

/** Throws INVALID_INPUT when the word is none that `namespaceWord` gives. */
export function namespaceOfWord(word: string): Namespace {
  return parseNamespace(word.replaceAll(DOT, '.'))
}
