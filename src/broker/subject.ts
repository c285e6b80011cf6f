// Subjects: words joined by dots. In a pattern `*` stands for one word and `>`, at the end, for one or more.

export const SUBJECT_CHARS_MAX = 512 // of topic and key together; servers stop reading at 4,096 with everything around it

const SUBJECT = /^[^\s\0-\x20\x7f.*>]+(?:\.[^\s\0-\x20\x7f.*>]+)*$/

/** Why nothing may be published there, or null: as the end of a sentence that begins with the subject's name. */
export function subjectFault(subject: string): string | null {
  if (subject === '') return 'must not be empty'
  if (subject.length > SUBJECT_CHARS_MAX) return `must not have more than ${SUBJECT_CHARS_MAX} characters`
  if (/[*>]/.test(subject)) return "must not contain the wildcards '*' and '>'"
  if (/^\.|\.$|\.\./.test(subject)) return 'must not begin or end with a dot, or have two in a row'
  if (!SUBJECT.test(subject) || !subject.isWellFormed()) return 'must not contain spaces or control characters'
  if (subject.startsWith('$')) return "must not begin with '$': those subjects belong to the broker itself"
  if (subject.startsWith('_INBOX.')) return "must not begin with '_INBOX.': those subjects carry the answers to requests"
  return null
}

export function subjectMatches(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.')
  const words = subject.split('.')
  for (const [index, word] of wanted.entries()) {
    if (word === '>') return words.length > index
    if (words[index] === undefined || (word !== '*' && word !== words[index])) return false
  }
  return words.length === wanted.length
}
