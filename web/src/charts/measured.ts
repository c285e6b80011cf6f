// How wide a chart may be: drawn in real pixels, so that text and strokes keep their size.

import { useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

export function useWidth(fallback: number): [RefObject<HTMLDivElement | null>, number] {
  const element = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(fallback)
  useLayoutEffect(() => {
    const target = element.current
    if (target === null) return
    setWidth(Math.max(120, Math.round(target.getBoundingClientRect().width)))
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(120, Math.round(entry!.contentRect.width))))
    observer.observe(target)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
