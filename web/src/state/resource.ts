// Something loaded from the server for as long as a component shows it. What was shown stays while the next answer is
// on its way or when it fails, marked as stale, so that no page ever goes blank; an answer that comes too late is dropped.

import { useCallback, useEffect, useRef, useState } from 'react'

export type Resource<T> = {
  readonly data: T | undefined
  readonly error: Error | undefined
  readonly isLoading: boolean
  /** What is shown belongs to an earlier question, or could not be refreshed. */
  readonly isStale: boolean
  readonly reload: () => void
}

type Held<T> = {
  readonly key: string
  readonly data: T | undefined
  readonly error: Error | undefined
  readonly loadedKey: string | null
}

type Options = { /** Ask again so often, while the page is visible. */ readonly refreshMs?: number | undefined }

export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { refreshMs }: Options = {},
): Resource<T> {
  const [held, setHeld] = useState<Held<T>>({ key, data: undefined, error: undefined, loadedKey: null })
  const [turn, setTurn] = useState(0)
  const [loadingKey, setLoadingKey] = useState<string | null>(key)
  const latestLoad = useRef(load)
  latestLoad.current = load
  const isUnderWay = useRef(false)

  useEffect(() => {
    const abort = new AbortController()
    isUnderWay.current = true
    setLoadingKey(key)
    latestLoad.current(abort.signal).then(
      (data) => {
        if (abort.signal.aborted) return
        isUnderWay.current = false
        setHeld({ key, data, error: undefined, loadedKey: key })
        setLoadingKey(null)
      },
      (error: unknown) => {
        if (abort.signal.aborted) return
        isUnderWay.current = false
        setHeld((before) => ({ ...before, key, error: error instanceof Error ? error : new Error(String(error)) }))
        setLoadingKey(null)
      },
    )
    return () => abort.abort()
  }, [key, turn])

  const reload = useCallback(() => setTurn((before) => before + 1), [])
  useRefresh(reload, isUnderWay, refreshMs)

  return {
    data: held.data,
    error: held.key === key ? held.error : undefined,
    isLoading: loadingKey !== null || held.key !== key,
    isStale: held.data !== undefined && (held.loadedKey !== key || held.error !== undefined),
    reload,
  }
}

/** A question that takes long is waited for: asked again, it would be given up again and again. */
function useRefresh(
  reload: () => void,
  isUnderWay: { readonly current: boolean },
  refreshMs: number | undefined,
): void {
  useEffect(() => {
    if (refreshMs === undefined) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !isUnderWay.current) reload()
    }, refreshMs)
    return () => clearInterval(timer)
  }, [reload, isUnderWay, refreshMs])
}
