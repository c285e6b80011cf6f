// Where the viewer is, over the History API. Pages are paths behind the `#`: what follows the host belongs to the
// service's contracts (`/timers` is one of them), and this way a link works whatever proxy or prefix is in front.
// Everything a page shows can be read off the URL, so that a link shows the same to somebody else.

import { Store, useStore } from '../state/store.ts'

export type Place = { readonly path: string; readonly params: URLSearchParams }

const here = new Store<Place>(parse(location.hash))
// Both a click on a link and back and forward arrive as popstate.
addEventListener('popstate', () => here.set(parse(location.hash)))

export function useCurrentPlace(): Place {
  return useStore(here)
}

export type Params = Readonly<Record<string, string | number | null | undefined>>

/** `#/timers?status=failed`. What is null or empty is left out. */
export function hrefOf(path: string, params: Params = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value))
  const text = query.toString()
  return `#${path}${text === '' ? '' : `?${text}`}`
}

export function navigate(href: string, { replace = false } = {}): void {
  if (href === location.hash) return
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  const before = here.get()
  here.set(parse(href))
  if (before.path !== here.get().path) scrollTo(0, 0)
}

/** Changes some of the current page's parameters. Typing in a filter replaces, a click makes a step to go back to. */
export function changeParams(changes: Params, { replace = false } = {}): void {
  // Of the address itself: somebody may have left this page a moment ago, and popstate is still on its way.
  const { path, params } = parse(location.hash)
  navigate(hrefOf(path, { ...Object.fromEntries(params), ...changes }), { replace })
}

function parse(hash: string): Place {
  const text = hash.replace(/^#/, '')
  const mark = text.indexOf('?')
  const path = mark === -1 ? text : text.slice(0, mark)
  return {
    path: path.startsWith('/') ? path : '/',
    params: new URLSearchParams(mark === -1 ? '' : text.slice(mark + 1)),
  }
}

export function timerHref(namespace: string, id: string): string {
  return hrefOf(`/timers/${encodeURIComponent(namespace)}/${encodeURIComponent(id)}`)
}

/** The namespace and id of a timer's page; null when the path is no such page. */
export function readTimerPath(path: string): { readonly namespace: string; readonly id: string } | null {
  const match = /^\/timers\/([^/]+)\/([^/]+)$/.exec(path)
  if (match === null) return null
  try {
    return { namespace: decodeURIComponent(match[1]!), id: decodeURIComponent(match[2]!) }
  } catch {
    return null
  }
}
