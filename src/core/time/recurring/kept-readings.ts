// Each firing reads its schedule anew, and many timers share a few texts: what a text means is remembered, up to a bound.

const KEPT_MAX = 1_000 // some 500 kB

/** `read`, which must answer the same for the same text, asked once for each of the last texts. A text that it refuses is not remembered. */
export function remembered<Read>(read: (text: string) => Read): (text: string) => Read {
  const kept = new Map<string, Read>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const made = read(text)
    if (kept.size >= KEPT_MAX) kept.clear()
    kept.set(text, made)
    return made
  }
}
