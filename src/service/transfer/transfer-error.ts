// What ends a transfer other than a failing database.

/** Why timers could not be moved, in words for whoever moves them. */
export class TransferError extends Error {
  override readonly name: string = 'TransferError'
}

/** A node is alive, so nobody else can own all shards. */
export class NodeServesError extends TransferError {
  override readonly name = 'NodeServesError'
}
