// One operation of the OpenAPI document as a card: what it does, what it takes, how to try it, what it answers.

import { html } from './html.ts'
import type { Html } from './html.ts'

export type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly title?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly oneOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
}
type Media = { readonly schema?: JsonSchema; readonly example?: unknown }
type Content = Readonly<Record<string, Media>>

export type Operation = {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly requestBody?: { readonly content: Content }
  readonly responses?: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
}

export type Place = { readonly method: string; readonly path: string; readonly operation: Operation }

export function anchorOf({ method, path }: Place): string {
  return `${method}${path}`.replaceAll(/[^\da-z]+/gi, '-').toLowerCase()
}

export function operationCard(place: Place): Html {
  const { method, path, operation } = place
  const body = jsonOf(operation.requestBody?.content)
  return html`<article id="${anchorOf(place)}">
    <h3>${operation.summary ?? path}</h3>
    <p class="route"><b>${method.toUpperCase()}</b> ${path}</p>
    <p>${operation.description ?? ''}</p>
    <h4>Try it</h4>
    <pre>${curl(place, body?.example)}</pre>
    ${
      body?.schema === undefined
        ? null
        : html`<h4>Request</h4>
            ${fieldTable(body.schema)}`
    }
    ${responses(operation)}
  </article>`
}

function jsonOf(content: Content | undefined): Media | undefined {
  return content?.['application/json']
}

/** Quoted for a shell: a quote inside ends the text, adds itself and begins again. */
function curl({ method, path }: Place, example: unknown): string {
  const target = `"$DUETIME${path}"`
  const command = method === 'get' || method === 'post' ? `curl ${target}` : `curl -X ${method.toUpperCase()} ${target}`
  if (example === undefined) return command
  const data = JSON.stringify(example, null, 2).replaceAll("'", String.raw`'\''`)
  return `${command} -H 'Content-Type: application/json' -d '${data}'`
}

function fieldTable(schema: JsonSchema): Html {
  return html`<table>
    ${rowsOf(schema, '')}
  </table>`
}

function rowsOf(schema: JsonSchema, prefix: string): Html[] {
  const rows: Html[] = []
  for (const branch of [schema, ...(schema.oneOf ?? [])]) {
    for (const [name, field] of Object.entries(branch.properties ?? {})) {
      rows.push(fieldRow(`${prefix}${name}`, field, branch.required?.includes(name) === true))
      rows.push(...rowsOf(field, `${prefix}${name}.`))
    }
  }
  return rows
}

function fieldRow(name: string, field: JsonSchema, isRequired: boolean): Html {
  const need = isRequired ? html`<span class="need">required</span>` : null
  return html`<tr>
    <td><code>${name}</code>${need}<small>${typeName(field)}</small></td>
    <td>${field.description ?? ''}</td>
  </tr>`
}

function typeName(field: JsonSchema): string {
  if (field.const !== undefined) return JSON.stringify(field.const)
  if (field.enum !== undefined) return field.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (field.anyOf !== undefined) return field.title ?? field.anyOf.map(typeName).join(' or ')
  if (field.type === 'array') return `array of ${field.items === undefined ? 'anything' : typeName(field.items)}`
  return field.type === undefined ? 'any JSON' : [field.type].flat().join(' or ')
}

function responses({ responses: byStatus = {} }: Operation): Html {
  const success = Object.entries(byStatus).find(([status]) => status.startsWith('2'))
  const failures = Object.entries(byStatus).filter(([status]) => !status.startsWith('2'))
  const example = jsonOf(success?.[1].content)?.example
  return html` ${
    success === undefined
      ? null
      : html`<details>
          <summary>Answer ${success[0]}</summary>
          ${answerExample(example)}
        </details>`
  }
  ${
    failures.length === 0
      ? null
      : html`<details>
          <summary>Errors</summary>
          <table>
            ${failures.map(failureRow)}
          </table>
        </details>`
  }`
}

function answerExample(example: unknown): Html {
  return example === undefined ? html`<p>No body.</p>` : html`<pre>${JSON.stringify(example, null, 2)}</pre>`
}

function failureRow([status, { description }]: [string, { readonly description?: string }]): Html {
  return html`<tr>
    <td class="status">${status}</td>
    <td>${description ?? ''}</td>
  </tr>`
}
