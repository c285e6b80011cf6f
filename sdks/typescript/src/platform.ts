// What the SDK uses of the platform it runs on, and nothing else. These few things exist in Node, Bun, Deno and
// browsers alike. They are described here so that neither the SDK nor its declarations need the DOM library or
// @types/node; where one of them is there, its own types are used in the public functions.

export type AbortSignalLike = {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export type HeadersLike = { get(name: string): string | null }

export type StreamReader = {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(reason?: unknown): Promise<void>
}

export type MinimalResponse = {
  readonly ok: boolean
  readonly status: number
  readonly headers: HeadersLike
  readonly body: { getReader(): StreamReader } | null
  text(): Promise<string>
}
export type MinimalRequest = {
  readonly method: string
  readonly headers: HeadersLike
  arrayBuffer(): Promise<ArrayBuffer>
}
type MinimalInit = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignalLike
}
export type MinimalFetch = (url: string, init: MinimalInit) => Promise<MinimalResponse>

/** The platform's own types where they are known, and what is needed of them where not. */
export type WebFetch = typeof globalThis extends { fetch: infer Known } ? Known : MinimalFetch
export type WebResponse = typeof globalThis extends { Response: { prototype: infer Known } } ? Known : MinimalResponse
export type WebRequest = typeof globalThis extends { Request: { prototype: infer Known } } ? Known : MinimalRequest

type Platform = {
  readonly fetch: MinimalFetch
  readonly performance: { now(): number }
  readonly setTimeout: (callback: () => void, ms: number) => unknown
  readonly clearTimeout: (timer: unknown) => void
  readonly AbortController: new () => { readonly signal: AbortSignalLike; abort(reason?: unknown): void }
  readonly TextEncoder: new () => { encode(text: string): Uint8Array<ArrayBuffer> }
  readonly TextDecoder: new () => { decode(bytes?: Uint8Array, options?: { readonly stream: boolean }): string }
  readonly Response: new (
    body: string | null,
    init: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  ) => MinimalResponse
  readonly URL: {
    new (url: string): { readonly href: string; username: string; password: string }
    canParse(url: string): boolean
  }
  readonly URLSearchParams: new (fields: Readonly<Record<string, string>>) => { toString(): string }
  readonly atob: (base64: string) => string
  readonly crypto: {
    getRandomValues(bytes: Uint8Array): Uint8Array
    readonly subtle: {
      importKey(
        format: 'raw',
        key: Uint8Array,
        algorithm: object,
        extractable: boolean,
        usages: readonly string[],
      ): Promise<object>
      sign(algorithm: 'HMAC', key: object, data: Uint8Array): Promise<ArrayBuffer>
    }
  }
}

export const platform = globalThis as unknown as Platform

/** Between the platform's own types and those described here: with neither DOM nor Node they are the same, otherwise not. */
export function viewedAs<To>(value: unknown): To {
  return value as To
}
