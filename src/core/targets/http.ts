// A target that gets an HTTP request.

import type { Headers, TargetType } from './target-type.ts'

export type HttpTarget = { readonly type: 'http'; readonly url: string; readonly headers: Headers | null }

export const httpTarget: TargetType<HttpTarget> = {
  type: 'http',
  fields: { url: 'url', headers: 'headers' },
  placeOf: ({ url }) => URL.parse(url)?.host ?? 'not a URL',
  unconfigured: 'this service makes no HTTP requests, so a callback of type http could never be delivered',
}
