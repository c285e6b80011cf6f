// /docs: the OpenAPI document as a page for people. Rendered once, here; the browser runs no script and loads nothing.

import { createHash } from 'node:crypto'
import { html, Html } from './html.ts'
import { anchorOf, operationCard } from './operation.ts'
import type { Operation, Place } from './operation.ts'
import { STYLE } from './style.ts'

type Tag = { readonly name: string; readonly description?: string }
export type OpenApiDocument = {
  readonly info: { readonly title: string; readonly description?: string; readonly version: string }
  readonly tags?: readonly Tag[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const ADDRESS = '{address}'

export class DocsPage {
  /** Nothing but the one style sheet that is in the page. */
  readonly headers: Readonly<Record<string, string>> = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      `default-src 'none'; style-src 'sha256-${STYLE_HASH}'`,
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }
  readonly #document: () => Promise<OpenApiDocument>
  #html: string | null = null

  constructor(document: () => Promise<OpenApiDocument>) {
    this.#document = document
  }

  /** `address`: where the reader has reached the service; null when that cannot be told. It must need no escaping. */
  async html(address: string | null): Promise<string> {
    this.#html ??= page(await this.#document()).text
    return this.#html.replace(ADDRESS, address ?? 'http://127.0.0.1:8080')
  }
}

function page(document: OpenApiDocument): Html {
  const { title, description = '', version } = document.info
  const places = placesOf(document)
  const sections = (document.tags ?? []).map((tag): Section => {
    return { tag, places: places.filter(({ operation }) => operation.tags?.includes(tag.name)) }
  })
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} API</title>
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <div class="layout">
          <nav aria-label="Operations">${sections.map(navigation)}</nav>
          <main>
            <header>
              <h1>${title}<small>${version}</small></h1>
              <p>${description}</p>
              <p>
                For tools there is <a href="openapi.json">openapi.json</a>. The examples below take the address of the
                service from a variable:
              </p>
              <pre>DUETIME=${ADDRESS}</pre>
            </header>
            ${sections.map(section)}
          </main>
        </div>
      </body>
    </html>`
}

function placesOf({ paths = {} }: OpenApiDocument): Place[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  )
}

type Section = { readonly tag: Tag; readonly places: readonly Place[] }

function navigation({ tag, places }: Section): Html {
  const links = places.map(
    (place) => html`<li><a href="#${anchorOf(place)}">${place.operation.summary ?? place.path}</a></li>`,
  )
  return html`<h2>${tag.name}</h2>
    <ul>
      ${links}
    </ul>`
}

function section({ tag, places }: Section): Html {
  return html`<section>
    <h2>${tag.name}</h2>
    <p>${tag.description ?? ''}</p>
    ${places.map(operationCard)}
  </section>`
}
