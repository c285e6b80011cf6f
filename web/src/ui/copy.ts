// The clipboard, also where the page is not served over TLS and browsers withhold it.

import { toast } from './toasts.tsx'

export async function copyText(text: string, what: string): Promise<void> {
  const isCopied = await write(text)
  toast(isCopied ? 'good' : 'bad', isCopied ? `Copied ${what}` : `Could not copy ${what}`)
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeBySelection(text)
  }
}

function writeBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'hidden-visually'
  document.body.append(area)
  area.select()
  // The only way without a secure context, such as http on another machine.
  // oxlint-disable-next-line typescript/no-deprecated
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
