// Whether a server answers in its own protocol. A port that is open says little: several servers open theirs before they
// are ready.

import { connect } from 'node:net'

const ANSWER_WITHIN_MS = 2_000

/** Sends some bytes, or none where the server speaks first, and judges the first ones that come back. */
export function answersTo(
  port: number,
  question: Buffer | null,
  isRight: (answer: Buffer) => boolean,
  host = '127.0.0.1',
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    const end = (isThere: boolean): void => {
      socket.destroy()
      resolve(isThere)
    }
    socket.setTimeout(ANSWER_WITHIN_MS, () => end(false))
    socket.on('error', () => end(false))
    socket.on('close', () => end(false))
    socket.on('data', (answer) => end(isRight(Buffer.from(answer))))
    if (question !== null) socket.write(question)
  })
}

/** The greeting of MySQL and those that speak as it does: packet number 0, protocol version 10. */
export function greetsAsMysql(port: number): Promise<boolean> {
  return answersTo(port, null, (answer) => answer[3] === 0 && answer[4] === 10)
}
