// The window around what a terminal shows, and above it the program that was run in it, if there is one to show.

import { escapeHtml } from './terminal-screen.ts'

type Shown = {
  readonly title: string
  readonly screen: string
  readonly program?: { readonly name: string; readonly source: string }
}

const STYLE = `
  body { margin: 0; background: transparent }
  .window { display: inline-block; min-width: 640px; border-radius: 9px; overflow: hidden; background: #1b1f27; color: #d7dce4 }
  .bar { display: flex; align-items: center; gap: 7px; height: 32px; padding: 0 12px }
  .bar { background: #2a303b; color: #9aa4b2; font: 12px sans-serif }
  .bar i { width: 11px; height: 11px; border-radius: 50%; background: #ec6a5e }
  .bar i + i { background: #f4bf4f } .bar i + i + i { background: #61c554 }
  .bar span { margin-left: 8px }
  pre { margin: 0; padding: 14px 16px; font: 13px/1.42 'DejaVu Sans Mono', 'Menlo', monospace }
  pre + .bar { background: #232933 }
  .bold { font-weight: bold } .dim { color: #8b95a5 }
  .red { color: #ff7b72 } .green { color: #7ee787 } .yellow { color: #f2cc60 } .cyan { color: #76d9e6 }
`
const LIGHTS = '<i></i><i></i><i></i>'

export function windowHtml({ title, screen, program }: Shown): string {
  const above =
    program === undefined
      ? ''
      : `${barHtml(`${LIGHTS}<span>${program.name}</span>`)}<pre>${sourceHtml(program.source)}</pre>`
  const bar = barHtml(`${program === undefined ? LIGHTS : ''}<span>${title}</span>`)
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><div class="window">${above}${bar}<pre>${screen}</pre></div>`
}

function barHtml(content: string): string {
  return `<div class="bar">${content}</div>`
}

const WORDS = /('[^'\n]*'|`[^`]*`)|\b(import|from|type|const|await|async|new)\b/g

function sourceHtml(source: string): string {
  const colored = (_whole: string, text: string | undefined, word: string) =>
    text === undefined ? `<span class="cyan">${word}</span>` : `<span class="green">${text}</span>`
  return escapeHtml(source.trimEnd()).replaceAll(WORDS, colored)
}
