// The first look at a database, on a connection of its own: can it be reached, will it do, are the tables there. Everything that
// can be wrong with it is found there, before the service says that it is ready.

import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import type { StoreError } from '../../store.ts'
import type { FailureContext, Stage } from './server-failure.ts'

export type FirstConnection<Client> = {
  readonly location: ServerLocation
  readonly open: () => Promise<Client>
  readonly close: (client: Client) => unknown
  readonly failureOf: (error: unknown, context: FailureContext) => StoreError
}

export async function onFirstConnection<Client, T>(
  { location, open, close, failureOf }: FirstConnection<Client>,
  effect: 'read' | 'write',
  work: (client: Client) => Promise<T>,
): Promise<T> {
  let stage: Stage = 'connect'
  try {
    const client = await open()
    stage = 'migrate'
    try {
      return await work(client)
    } finally {
      await close(client)
    }
  } catch (error) {
    throw failureOf(error, { location, stage, effect })
  }
}
