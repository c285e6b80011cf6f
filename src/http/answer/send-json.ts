// Answers in JSON. They are text already when they come here: most are written by hand, for speed and to the letter.

import type { FastifyReply } from 'fastify'

export const JSON_TYPE = 'application/json; charset=utf-8'

export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(json)
}
