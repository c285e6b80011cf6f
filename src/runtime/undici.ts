// The parts of undici that are used here, each from its own file. The package as a whole also loads fetch, web sockets,
// caches, mocks and proxies, which take 5 MiB in every process.

import type { Agent as AgentClass, Dispatcher, Pool as PoolClass } from 'undici'
import type { buildConnector as BuildConnector } from 'undici'
// @ts-expect-error: the file has no types; those of the package are given to it below
import * as apiFile from 'undici/lib/api/index.js'
// @ts-expect-error: as above
import connectFile from 'undici/lib/core/connect.js'
// @ts-expect-error: as above
import agentFile from 'undici/lib/dispatcher/agent.js'
// @ts-expect-error: as above
import poolFile from 'undici/lib/dispatcher/pool.js'

export const Pool = poolFile as typeof PoolClass
export type Pool = PoolClass
export const Agent = agentFile as typeof AgentClass
export type Agent = AgentClass
export const buildConnector = connectFile as typeof BuildConnector
export type { BuildConnector, Dispatcher }

type Api = {
  request(this: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>
  upgrade(this: Dispatcher, options: Dispatcher.UpgradeOptions & { origin: string }): Promise<Dispatcher.UpgradeData>
}
const api = apiFile as Api

type By = { readonly dispatcher: Agent }

export function request(
  url: string,
  { dispatcher, ...options }: By & Omit<Dispatcher.RequestOptions, 'origin' | 'path'>,
): Promise<Dispatcher.ResponseData> {
  return api.request.call(dispatcher, { ...options, ...placeOf(url) })
}

export function upgrade(
  url: string,
  { dispatcher, ...options }: By & Omit<Dispatcher.UpgradeOptions, 'origin' | 'path'>,
): Promise<Dispatcher.UpgradeData> {
  return api.upgrade.call(dispatcher, { ...options, ...placeOf(url) })
}

function placeOf(url: string): { readonly origin: string; readonly path: string } {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}
