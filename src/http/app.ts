// The HTTP server: one Fastify instance with the contracts, the operational routes and the limits that hold for all of
// them. Nothing here runs per request that does not have to: a create costs little more than reading and checking it.

import type { Server } from 'node:http'
import { fastify } from 'fastify'
import type { FastifyHttpOptions, FastifyInstance } from 'fastify'
import type { ClusterView } from '../engine/engine.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import type { Config } from '../runtime/config/config.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import type { KeyRing } from '../service/keys/key-ring.ts'
import { isCommandStream } from '../service/peers/command-streams.ts'
import type { TimerService } from '../service/timer-service.ts'
import { admission, registerAccess } from './access/access.ts'
import type { RequestLimits } from './access/access.ts'
import { registerAnswerHeaders } from './answer/answer-headers.ts'
import { registerCalendarRoutes } from './calendars/routes.ts'
import { registerClusterRoute } from './routes/cluster-route.ts'
import type { Contract } from './contracts/contract.ts'
import { corsHeaders, registerCors } from './access/cors.ts'
import { DirectRoutes } from './direct/direct-routes.ts'
import { ErrorAnswers } from './errors/error-answers.ts'
import { CollectedRequest } from './body/collected-request.ts'
import { holdBackBodies } from './body/expect-continue.ts'
import { registerInternalRoutes } from './routes/internal-routes.ts'
import type { InternalParts } from './routes/internal-routes.ts'
import { registerListMemory } from './lists/list-memory.ts'
import type { ObservingParts } from './observing/parts.ts'
import { registerObservingRoutes } from './observing/routes.ts'
import { registerOpenApi } from './docs/openapi.ts'
import { registerOperationalRoutes } from './routes/operational-routes.ts'
import type { MetricsSource } from './routes/operational-routes.ts'
import type { ReadyChecks } from './routes/readiness.ts'
import { registerRequestBodies } from './body/request-body.ts'
import { requestIds } from './request/request-ids.ts'
import { SharedRoutes } from './contracts/shared-route.ts'
import { answerBrokenRequest } from './errors/broken-request.ts'
import { validationError } from './errors/validation-message.ts'
import { buildValidator } from './validators.ts'
import { registerWebPage } from './routes/web-page.ts'
import type { WebFile } from './routes/web-page.ts'

export type AppConfig = Pick<
  Config,
  | 'bodyMaxBytes'
  | 'batchBodyMaxBytes'
  | 'payloadMaxBytes'
  | 'requestTimeoutMs'
  | 'connectionsMax'
  | 'allowAnonymous'
  | 'corsOrigins'
  | 'callbackBaseUrl'
>

type SharedOptions = {
  readonly service: TimerService
  readonly contracts: readonly [Contract, ...Contract[]]
  /** Null: no key is configured and everyone may do everything. */
  readonly keys: KeyRing | null
  readonly config: AppConfig
  readonly clock: Clock
  readonly logger: Logger
  /** Absent: requests are counted here. */
  readonly limits?: RequestLimits
  /** Adds a hook that comes before all others. */
  readonly elsewhere?: (app: FastifyInstance) => void
  /** Connections of other nodes are let through. */
  readonly takesPeers?: boolean
}

export type EntryAppOptions = SharedOptions & Required<Pick<SharedOptions, 'limits' | 'elsewhere' | 'takesPeers'>>

export type AppOptions = Omit<SharedOptions, 'takesPeers' | 'elsewhere'> & {
  readonly metrics: MetricsSource
  readonly ready: ReadyChecks
  readonly degradable?: ReadyChecks
  readonly cluster: () => ClusterView
  readonly observing: ObservingParts
  /** The web UI; null where it was not built. */
  readonly webFiles: readonly WebFile[] | null
  /** Where there are other nodes. */
  readonly internal?: InternalParts
  /** More of them, under the same limits. */
  readonly routes?: (app: FastifyInstance) => void
}

const KEEP_ALIVE_MS = 75_000 // common proxies drop an idle connection after 60 s; they shall be the ones to close it
const HEADERS_BYTES_MAX = 16 * 1_024
const HEADERS_MS_MAX = 10_000 // also for a connection that says nothing at all
const TIMEOUTS_CHECKED_EVERY_MS = 1_000 // Node's own 30 s would make every timeout up to half a minute longer
const PARAM_CHARS_MAX = 255 * 9 // an id of 255 characters, each of them three percent-encoded bytes

/** Ready to listen when it resolves, and the OpenAPI document can be built. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, clock, logger } = options
  const { app, errors } = openApp({ ...options, takesPeers: options.internal !== undefined })
  registerListMemory(app, options.service.gate)
  registerOpenApi(app, { keysNeeded: options.keys !== null })
  const direct = registerContracts(app, errors, options)
  registerOperationalRoutes(app, options)
  registerClusterRoute(app, options.cluster)
  registerObservingRoutes(app, options.observing, { clock, payloadMaxBytes: config.payloadMaxBytes })
  registerCalendarRoutes(app)
  registerWebPage(app, options.webFiles)
  if (options.internal !== undefined) registerInternalRoutes(app, options.internal, { clock, logger })
  options.routes?.(app)
  return readyApp(app, direct, logger)
}

/**
 * The routes of the contracts, with all that holds for every route, for a thread beside the one that has the rest.
 * `elsewhere` takes every request that it can: see entry-routes.ts.
 */
export async function buildEntryApp(options: EntryAppOptions): Promise<FastifyInstance> {
  const { app, errors } = openApp(options)
  return readyApp(app, registerContracts(app, errors, options), options.logger)
}

async function readyApp(app: FastifyInstance, direct: DirectRoutes, logger: Logger): Promise<FastifyInstance> {
  await app.ready()
  // Requests that are logged one by one are all the framework's.
  if (!logger.isLevelEnabled('debug')) direct.attach(app)
  return app
}

type OpenApp = { readonly app: FastifyInstance; readonly errors: ErrorAnswers }

/** Without routes. */
function openApp(options: SharedOptions): OpenApp {
  const { contracts, config, clock, logger } = options
  const errors = new ErrorAnswers({ contracts, clock, logger })
  const app = fastify({
    ...fastifyOptions(options),
    frameworkErrors: (error, request, reply) => void errors.answer(error, request, reply),
  })

  app.server.maxConnections = config.connectionsMax
  holdBackBodies(app.server)
  errors.attach(app)
  options.elsewhere?.(app)
  registerAnswerHeaders(app)
  registerCors(app, config.corsOrigins)
  registerAccess(app, options)
  registerRequestBodies(app, config)
  app.setSchemaErrorFormatter((faults) => validationError(faults))
  // Answers are written by hand; the schemas of answers are documentation.
  app.setSerializerCompiler(() => JSON.stringify)
  if (logger.isLevelEnabled('debug')) logRequests(app, logger)
  return { app, errors }
}

function registerContracts(app: FastifyInstance, errors: ErrorAnswers, options: SharedOptions): DirectRoutes {
  const { contracts, config, clock } = options
  const shared = new SharedRoutes()
  const { payloadMaxBytes, callbackBaseUrl } = config
  const direct = new DirectRoutes({
    ...config,
    service: options.service,
    admit: admission(options),
    headers: corsHeaders(config.corsOrigins),
  })
  const parts = { clock, payloadMaxBytes, callbackBaseUrl, shared, direct }
  for (const contract of contracts) errors.allowed.ofContract(contract.name, () => contract.register(app, parts))
  shared.register(app)
  app.addHook('preClose', (done) => {
    direct.close()
    done()
  })
  return direct
}

function fastifyOptions({ config, clock, takesPeers }: SharedOptions): FastifyHttpOptions<Server> {
  return {
    bodyLimit: config.bodyMaxBytes,
    requestTimeout: config.requestTimeoutMs,
    connectionTimeout: config.requestTimeoutMs + KEEP_ALIVE_MS, // idle sockets are the keep-alive's business; this one is for stuck ones
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Both timeouts: Node refuses one for the headers that is longer than the one for the request, whose default is 5 minutes.
    http: {
      IncomingMessage: CollectedRequest, // for direct routes
      maxHeaderSize: HEADERS_BYTES_MAX,
      headersTimeout: Math.min(HEADERS_MS_MAX, config.requestTimeoutMs),
      requestTimeout: config.requestTimeoutMs,
      connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
      shouldUpgradeCallback: takesPeers === true ? isCommandStream : () => false,
    },
    routerOptions: { maxParamLength: PARAM_CHARS_MAX },
    // Fastify's own logger makes a child per request; what is worth logging is logged here, with the request's id.
    logger: false,
    genReqId: requestIds(),
    // While it stops, requests on open connections are still answered: by the service, in the contract's shape.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, clock.now()),
    schemaController: { compilersFactory: { buildValidator } },
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        useDefaults: false,
        allErrors: false,
        strict: true,
        allowUnionTypes: true,
        discriminator: true,
        verbose: true,
        // Checking our own schemas would compile the schema of schemas at each start. The tests of the OpenAPI document see them all.
        meta: false,
        validateSchema: false,
      },
    },
  }
}

function logRequests(app: FastifyInstance, logger: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, id } = request
    logger.debug(
      { requestId: id, method, url, status: reply.statusCode, durationMs: reply.elapsedTime },
      'request answered',
    )
    done()
  })
}
