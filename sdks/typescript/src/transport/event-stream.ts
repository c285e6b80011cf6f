// Server-sent events from a fetch that is read as it comes. EventSource cannot send a key and does not exist everywhere.

import { platform } from '../platform.ts'
import type { StreamReader } from '../platform.ts'

export type StreamEvent = { readonly type: string; readonly data: string }

/** Ends when the stream does. Comments, which only show that the connection is alive, are no events but activity. */
export async function* readEvents(
  reader: StreamReader,
  onActivity: () => void = () => {},
): AsyncGenerator<StreamEvent, void, void> {
  const decoder = new platform.TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onActivity()
      text += decoder.decode(value, { stream: true })
      const blocks = text.split(/\r\n\r\n|\n\n|\r\r/)
      text = blocks.pop()!
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event !== null) yield event
      }
    }
  } finally {
    // A reader that stops early lets go of the connection; one that is broken already has nothing to let go of.
    await reader.cancel().catch(() => {})
  }
}

function parseEvent(block: string): StreamEvent | null {
  let type = 'message'
  const data: string[] = []
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'event') type = value ?? ''
    if (field === 'data') data.push(value ?? '')
  }
  return data.length === 0 ? null : { type, data: data.join('\n') }
}
