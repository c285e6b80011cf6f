// One operation of the OpenAPI document for a path that several contracts share: a document has one per method and path,
// so the dialects are shown side by side.

import { Type } from '../../runtime/schema-type.ts'
import type { TSchema } from 'typebox'

/** What the OpenAPI document says of an operation; `body` is what is checked, too. */
export type OperationSchema<Body extends TSchema = TSchema> = {
  readonly operationId?: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly body: Body
  readonly response: Readonly<Record<string, unknown>>
}

type Response = {
  readonly description?: string
  readonly content?: { readonly 'application/json'?: { readonly schema: TSchema; readonly example?: unknown } }
}

export function mergedDocumentation(schemas: readonly OperationSchema[]): OperationSchema {
  const [first] = schemas
  if (schemas.length === 1) return first!
  const bodies = schemas.map(({ body, tags }) => ({ title: tags.join(', '), ...body }))
  // The document shows one example for the whole body; each dialect's own stays with its part of the schema.
  const { examples } = first!.body as { readonly examples?: readonly unknown[] }
  return {
    ...first!,
    tags: [...new Set(schemas.flatMap(({ tags }) => tags))],
    summary: [...new Set(schemas.map(({ summary }) => summary))].join(', or: '),
    description: schemas.map(({ tags, description = '' }) => `${tags.join(', ')}: ${description}`).join(' '),
    body: Type.Unsafe({ type: 'object', oneOf: bodies, ...(examples && { examples }) }),
    response: mergedResponses(schemas.map(({ response }) => response as Readonly<Record<string, Response>>)),
  }
}

function mergedResponses(responses: readonly Readonly<Record<string, Response>>[]): Record<string, unknown> {
  const statuses = new Set(responses.flatMap((byStatus) => Object.keys(byStatus)))
  const all = (status: string) => responses.flatMap((byStatus) => byStatus[status] ?? [])
  return Object.fromEntries([...statuses].map((status) => [status, mergedResponse(all(status))]))
}

function mergedResponse(responses: readonly Response[]): unknown {
  const schemas = responses.flatMap((response) => response.content?.['application/json']?.schema ?? [])
  if (responses.length === 1 || schemas.length < responses.length) return responses[0]
  const description = [...new Set(responses.map((response) => response.description))].join(' ')
  const example = responses.map((response) => response.content?.['application/json']?.example).find(Boolean)
  const json = { schema: Type.Unsafe({ anyOf: schemas }), ...(example !== undefined && { example }) }
  return { description, content: { 'application/json': json } }
}
