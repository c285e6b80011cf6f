// For people who watch the service, and for their tools: how things are, what will be, and whether a callback works.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { TestedCallback } from '../../service/callback-test.ts'
import { sendJson } from '../answer/send-json.ts'
import { isoText } from '../../core/time/iso-text.ts'
import { toCallbackTest } from './callback-test-body.ts'
import { registerLiveRoute } from './live-route.ts'
import { CALLBACK_TEST, FORECAST, OVERVIEW } from './operations.ts'
import { forecastJson, overviewJson } from './overview-json.ts'
import type { ObservingParts } from './parts.ts'
import { readScope, readWhole, STEP_MS, STEPS_DEFAULT, STEPS_MAX } from './query.ts'

const RESPONSE_CHARS_SHOWN = 16_384

type Surroundings = { readonly clock: Clock; readonly payloadMaxBytes: number }

export function registerObservingRoutes(
  instance: FastifyInstance,
  parts: ObservingParts,
  { clock, payloadMaxBytes }: Surroundings,
): void {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { overviews, feed, callbackTests, node } = parts

  app.get('/api/v1/overview', { schema: OVERVIEW }, async ({ query, timers }, reply) => {
    const overview = await overviews.whole(timers.sight(readScope(query)))
    return sendJson(reply, overviewJson(overview, { node, listeners: feed.listeners }))
  })

  app.get('/api/v1/forecast', { schema: FORECAST }, async ({ query, timers }, reply) => {
    const steps = readWhole(query.steps, 'steps', { min: 1, max: STEPS_MAX }) ?? STEPS_DEFAULT
    const forecast = await timers.forecast({ ...readScope(query), stepMs: STEP_MS[query.step ?? 'minute'], steps })
    return sendJson(reply, forecastJson(forecast))
  })

  app.post('/api/v1/callbacks/test', { schema: CALLBACK_TEST }, async ({ body, timers, principal }, reply) => {
    const test = toCallbackTest(body, payloadMaxBytes)
    timers.assertCallback(test.target, test.namespace)
    return sendJson(reply, testedJson(await callbackTests.run(test, principal.name)))
  })

  registerLiveRoute(instance, parts, clock)
}

function testedJson({ outcome, durationMs, deliveryId, firedAt, answer }: TestedCallback): string {
  const isTooLong = answer !== null && answer.body.length > RESPONSE_CHARS_SHOWN
  return JSON.stringify({
    outcome: outcome.type,
    statusCode: outcome.statusCode,
    durationMs,
    error: outcome.type === 'failed' ? outcome.error : null,
    nextExecuteAt: outcome.type === 'rescheduled' ? isoText(outcome.nextAt) : null,
    deliveryId,
    firedAt: isoText(firedAt),
    responseBody: answer === null ? null : answer.body.slice(0, RESPONSE_CHARS_SHOWN).toWellFormed(),
    responseTruncated: isTooLong || answer?.truncated === true,
  })
}
