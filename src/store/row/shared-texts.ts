// One string object for each namespace, protocol and tenant instead of one per decoded timer: a loaded window holds tens of
// thousands. Bounded, because namespaces come from clients.

const TEXTS_MAX = 1_000
const texts = new Map<string, string>()

export function shared(text: string): string {
  const known = texts.get(text)
  if (known !== undefined) return known
  if (texts.size >= TEXTS_MAX) texts.clear()
  texts.set(text, text)
  return text
}
