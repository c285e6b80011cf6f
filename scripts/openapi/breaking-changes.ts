// What of a new OpenAPI document would break a client of an old one. Requests may ask for less and take more; answers may
// tell more. So the two are compared in opposite directions: a field that becomes required is a break of a request, one
// that stops being required is a break of an answer.

import type { Content, OpenApiDocument, Operation, Schema } from './openapi.ts'

type Side = 'request' | 'answer'
type Pair = { readonly before: Schema; readonly after: Schema }

/** One sentence for each, naming the place; none: every client of the old one is a client of the new one. */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const compare = new Comparison(before, after)
  return Object.entries(before.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const place = `${method.toUpperCase()} ${path}`
      const other = after.paths[path]?.[method]
      return other === undefined ? [`${place}: is gone`] : compare.operations(place, operation, other)
    }),
  )
}

/** What counts of a document: the same without the words for people. This is what is kept of a release. */
export function shapeOf({ paths, components, info }: OpenApiDocument): OpenApiDocument {
  const isWords = new Set(['description', 'summary', 'example', 'examples', 'tags', 'title', 'security'])
  const bare = (value: unknown, isNamed: boolean): unknown => {
    if (Array.isArray(value)) return value.map((one) => bare(one, false))
    if (typeof value !== 'object' || value === null) return value
    // Below `properties` the names are those of fields, and a field may be called `description`.
    const entries = Object.entries(value).filter(([key]) => isNamed || !isWords.has(key))
    return Object.fromEntries(entries.map(([key, inner]) => [key, bare(inner, key === 'properties' && !isNamed)]))
  }
  return {
    info: { version: info['version'] },
    paths: bare(paths, false) as OpenApiDocument['paths'],
    components: { schemas: bare(components?.schemas ?? {}, true) as Readonly<Record<string, Schema>> },
  }
}

class Comparison {
  readonly #documents: { readonly before: OpenApiDocument; readonly after: OpenApiDocument }

  constructor(before: OpenApiDocument, after: OpenApiDocument) {
    this.#documents = { before, after }
  }

  operations(place: string, before: Operation, after: Operation): string[] {
    return [
      ...this.#parameters(place, before, after),
      ...this.#body(place, before, after),
      ...Object.entries(before.responses).flatMap(([status, answer]) => {
        const other = after.responses[status]
        if (other === undefined) return status.startsWith('2') ? [`${place}: answers ${status} no longer`] : []
        return this.#contents(`${place}, ${status}`, 'answer', answer.content, other.content)
      }),
    ]
  }

  #parameters(place: string, before: Operation, after: Operation): string[] {
    const known = before.parameters ?? []
    const offered = after.parameters ?? []
    const named = (list: typeof known, name: string) => list.find((one) => one.name === name)
    const lost = known.flatMap(({ name, schema = {} }) => {
      const other = named(offered, name)
      if (other === undefined) return [`${place}: the parameter ${name} is gone`]
      return this.#schemas(`${place}, ${name}`, 'request', { before: schema, after: other.schema ?? {} })
    })
    const demanded = offered.filter(({ name, required }) => required === true && named(known, name)?.required !== true)
    return [...lost, ...demanded.map(({ name }) => `${place}: the parameter ${name} is required now`)]
  }

  #body(place: string, before: Operation, after: Operation): string[] {
    if (before.requestBody === undefined)
      return after.requestBody?.required === true ? [`${place}: needs a body now`] : []
    return this.#contents(`${place}, body`, 'request', before.requestBody.content, after.requestBody?.content)
  }

  #contents(place: string, side: Side, before: Content = {}, after: Content = {}): string[] {
    return Object.entries(before).flatMap(([type, { schema = {} }]) => {
      const other = after[type]
      return other === undefined
        ? [`${place}: ${type} is gone`]
        : this.#schemas(place, side, { before: schema, after: other.schema ?? {} })
    })
  }

  #schemas(place: string, side: Side, { before, after }: Pair): string[] {
    const old = this.#resolved(before, 'before')
    const now = this.#resolved(after, 'after')
    if (old === now || JSON.stringify(old) === JSON.stringify(now)) return []
    return [
      ...typeChanges(place, side, { before: old, after: now }),
      ...(side === 'request' ? boundChanges(place, { before: old, after: now }) : []),
      ...this.#branches(place, side, { before: old, after: now }),
      ...this.#properties(place, side, { before: old, after: now }),
      ...(old.items === undefined || now.items === undefined
        ? []
        : this.#schemas(`${place}[]`, side, { before: old.items, after: now.items })),
    ]
  }

  /** Each old alternative of a request must still fit one, and so must each new alternative of an answer. */
  #branches(place: string, side: Side, { before, after }: Pair): string[] {
    const [old, now] = [branchesOf(before), branchesOf(after)]
    if (old.length === 0 && now.length === 0) return []
    const [given, taken] = side === 'request' ? [old, now] : [now, old]
    const fits = (one: Schema) =>
      taken.some((other) => {
        const pair = side === 'request' ? { before: one, after: other } : { before: other, after: one }
        return this.#schemas(place, side, pair).length === 0
      })
    return given.every(fits) ? [] : [`${place}: an alternative changed or is gone`]
  }

  #properties(place: string, side: Side, { before, after }: Pair): string[] {
    const [old, now] = [before.properties ?? {}, after.properties ?? {}]
    const inside = Object.entries(old).flatMap(([name, schema]) => {
      const other = now[name]
      if (other !== undefined) return this.#schemas(`${place}.${name}`, side, { before: schema, after: other })
      const isStillTaken = side === 'request' && after.additionalProperties !== false
      return isStillTaken ? [] : [`${place}.${name}: is gone`]
    })
    const [required, needed] = [before.required ?? [], after.required ?? []]
    return [
      ...inside,
      ...(side === 'request'
        ? needed.filter((name) => !required.includes(name)).map((name) => `${place}.${name}: is required now`)
        : required
            .filter((name) => name in now && !needed.includes(name))
            .map((name) => `${place}.${name}: may be absent now`)),
    ]
  }

  #resolved(schema: Schema, side: 'before' | 'after'): Schema {
    const name = schema.$ref?.split('/').at(-1)
    return name === undefined ? schema : (this.#documents[side].components?.schemas?.[name] ?? schema)
  }
}

function branchesOf({ anyOf = [], oneOf = [] }: Schema): readonly Schema[] {
  return [...anyOf, ...oneOf]
}

/** No type means any type, and no list of values means any value. New values of an answer are growth. */
function typeChanges(place: string, side: Side, { before, after }: Pair): string[] {
  const [given, taken] = side === 'request' ? [before, after] : [after, before]
  const types = taken.type === undefined ? null : [taken.type].flat()
  const fits = (type: string) => types!.includes(type) || (type === 'integer' && types!.includes('number'))
  const isTypeKept = types === null || (given.type !== undefined && [given.type].flat().every(fits))
  if (!isTypeKept) return [`${place}: the type was ${nameOf(before)} and is ${nameOf(after)}`]
  if (side === 'answer') return []
  const values = valuesOf(after)
  const lost = values === null ? [] : (valuesOf(before) ?? [null]).filter((value) => !values.includes(value))
  return lost.length === 0 ? [] : [`${place}: ${lost.map((value) => JSON.stringify(value)).join(', ')} is refused now`]
}

function nameOf({ type = 'anything' }: Schema): string {
  return [type].flat().join(' or ')
}

function valuesOf({ enum: values, const: value }: Schema): readonly unknown[] | null {
  return values ?? (value === undefined ? null : [value])
}

const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties']
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties']

function boundChanges(place: string, { before, after }: Pair): string[] {
  const tighter = (name: string, isTighter: (old: number, now: number) => boolean, none: number) => {
    const [old, now] = [before, after].map((schema) => (schema[name] as number | undefined) ?? none) as [number, number]
    return isTighter(old, now) ? [`${place}: ${name} was ${old} and is ${now}`] : []
  }
  const pattern = before['pattern'] === after['pattern'] || after['pattern'] === undefined
  return [
    ...UPPER.flatMap((name) => tighter(name, (old, now) => now < old, Infinity)),
    ...LOWER.flatMap((name) => tighter(name, (old, now) => now > old, -Infinity)),
    ...(pattern ? [] : [`${place}: the pattern changed`]),
  ]
}
