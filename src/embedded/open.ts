// The composition root of the library: the same store, engine and targets as the server has, with functions of the
// program as one more target, and without its entry points.

import {
  beginLife,
  buildEngine,
  buildService,
  buildTargets,
  openBroker,
  openLinks,
  openOutbox,
  timerProtocols,
} from '../assembly.ts'
import { invalidInput } from '../core/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { systemClock } from '../runtime/clock/clock.ts'
import { loadConfig } from '../runtime/config/config.ts'
import type { Config } from '../runtime/config/config.ts'
import { Lifecycle } from '../runtime/lifecycle.ts'
import { createLogger, partLogger } from '../runtime/telemetry/logger.ts'
import { openStore } from '../store/open-store.ts'
import { FunctionTarget } from '../targets/function/function-target.ts'
import { Duetime } from './duetime.ts'
import { PeerListener } from './peer-listener.ts'
import type { PeerAddress } from './peer-listener.ts'
import { TestClock } from './test-clock.ts'

export type OpenOptions = {
  /** A path (`./timers.db`), `sqlite:…`, `postgres://…`, or `memory:`, which forgets everything when it is closed. */
  readonly database: string
  /** For tests: see testClock. */
  readonly clock?: TestClock | undefined
  /** The service's settings by their names, such as `{ RETENTION: '30d' }`. The environment is not read. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  /** With PostgreSQL only: where other processes on the same database reach this one. */
  readonly peers?: PeerAddress | undefined
}

/** Resolves when timers can fire. They wait for `handle` to say what they call. */
export async function openDuetime(options: OpenOptions): Promise<Duetime> {
  const config = configOf(options)
  const clock = options.clock?.clock ?? systemClock
  const logger = createLogger({ ...config, destination: { write: (line) => void process.stderr.write(line) } })
  const store = await openStore(config, logger)
  const broker = await openBroker(config, clock, logger)
  const links = await openLinks(store, clock, logger)
  const life = await beginLife()
  const node = (): Engine => engine
  const listener =
    links &&
    new PeerListener({
      at: options.peers ?? {},
      secret: links.secret,
      node,
      clock,
      logger: partLogger(logger, 'peers'),
    })
  const functions = new FunctionTarget({ clock, onOpen: () => engine.lookForOpenDestinations() })
  const address = () => listener?.address ?? ''
  const outbox = openOutbox({ config, clock, logger, store, broker })
  const targets = [...buildTargets({ config, clock, broker }, timerProtocols(config)), functions]
  const parts = { config, clock, logger, store, targets, links, life, address, outbox, observer: UNOBSERVED }
  const engine = buildEngine(parts)
  const service = buildService({ ...parts, engine })
  let graceMs = config.shutdownGraceMs
  const lifecycle = new Lifecycle(
    [
      { name: 'life', start: () => {}, stop: () => life.end() },
      { name: 'store', start: () => {}, stop: () => store.close() },
      ...(broker === null ? [] : [{ name: 'broker', start: () => broker.start(), stop: () => broker.stop() }]),
      ...(outbox === null
        ? []
        : [{ name: 'lifecycle events', start: () => outbox.start(), stop: () => outbox.stop() }]),
      // It hands its timers over while the others still reach it.
      ...(links === null ? [] : [{ name: 'links', start: () => {}, stop: () => links.close() }]),
      ...(listener === null ? [] : [{ name: 'peers', start: () => listener.start(), stop: () => listener.stop() }]),
      { name: 'engine', start: () => engine.start(), stop: () => engine.stop(graceMs) },
    ],
    partLogger(logger, 'lifecycle'),
  )
  await lifecycle.start()
  const unfollow = options.clock?.clock.follow(engine)
  const close = async (wantedMs = graceMs) => {
    graceMs = wantedMs
    await lifecycle.stop()
    unfollow?.()
  }
  return new Duetime({ service, functions, clock, payloadMaxBytes: config.payloadMaxBytes, close })
}

const UNOBSERVED = { fired() {}, settled() {}, committed() {}, executed() {} }

function configOf({ database, clock, settings = {} }: OpenOptions): Config {
  if (typeof database !== 'string' || database === '') {
    throw invalidInput('database', "database says where timers are stored, such as './timers.db'")
  }
  if (clock !== undefined && !(clock instanceof TestClock))
    throw invalidInput('clock', 'clock must be one that testClock() made')
  const place = /^[a-z]{2,}:/i.test(database) ? { 'database-url': database } : { 'timer-db-path': database }
  return loadConfig({ env: { LOG_LEVEL: 'warn', ...settings }, flags: place })
}
