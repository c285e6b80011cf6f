// Text that somebody else wrote, made safe to show: an id or an error may hold control characters, and a terminal would
// obey them. Widths are in terminal cells, not in characters.

/** Control characters, line breaks included, and marks that change the direction of the text around them. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu
const ZERO_WIDTH = /^[\p{M}\p{Cf}]+$/u
const TWO_CELLS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303E\uFF01-\uFF60]|\p{Emoji_Presentation}|\uFE0F/u
const ASCII = /^[\x20-\x7E]*$/
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function visible(text: string): string {
  return text.replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += cellsOf(segment)
  return width
}

/** At most so many cells; what is cut off is shown by an ellipsis. */
export function cut(text: string, cells: number): string {
  if (widthOf(text) <= cells) return text
  let [kept, width] = ['', 0]
  for (const { segment } of graphemes.segment(text)) {
    width += cellsOf(segment)
    if (width > cells - 1) break
    kept += segment
  }
  return `${kept}…`
}

function cellsOf(grapheme: string): number {
  if (ZERO_WIDTH.test(grapheme)) return 0
  return TWO_CELLS.test(grapheme) ? 2 : 1
}
