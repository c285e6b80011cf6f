// A commit that is too large for one message to the server is several, one after the other; a part is always in one.

import { partBytes } from '../../../commit-sheet.ts'
import type { CommitPart, PartResult, StoreError } from '../../../store.ts'

type Send = (parts: readonly CommitPart[]) => Promise<readonly PartResult[]>

export async function commitInMessages(
  parts: readonly CommitPart[],
  bytesMax: number,
  send: Send,
): Promise<readonly PartResult[]> {
  const messages: CommitPart[][] = [[]]
  let bytes = 0
  for (const part of parts) {
    const more = partBytes(part)
    if (bytes > 0 && bytes + more > bytesMax) messages.push([])
    bytes = messages.at(-1)!.length === 0 ? more : bytes + more
    messages.at(-1)!.push(part)
  }
  if (messages.length === 1) return send(parts)
  const results: PartResult[] = []
  for (const some of messages) {
    const failed = (error: StoreError): PartResult[] => some.map(() => ({ type: 'failed', error }))
    results.push(...(await send(some).catch(failed)))
  }
  return results
}
