// The time that is left, to the millisecond. It writes into the page by itself, sixty times a second, without React;
// whoever hears the page is told the distance once.

import { useEffect, useRef } from 'react'
import { serverClock } from '../../api/server-clock.ts'
import { countdownParts, distance } from '../../format/times.ts'

type CountdownProps = { readonly at: string; readonly label: string; readonly onDue: () => void }

const OVERDUE_SHOWN_MS = 50

export function Countdown({ at, label, onDue }: CountdownProps) {
  const face = useRef<HTMLDivElement>(null)
  const told = useRef(onDue)
  told.current = onDue
  useEffect(() => {
    const dueAt = Date.parse(at)
    let isTold = false
    let frame = 0
    const draw = () => {
      const left = dueAt - serverClock.now()
      if (face.current !== null) write(face.current, left)
      if (left <= -OVERDUE_SHOWN_MS && !isTold) {
        isTold = true
        told.current()
      }
      if (left > -OVERDUE_SHOWN_MS) frame = requestAnimationFrame(draw)
    }
    draw()
    return () => cancelAnimationFrame(frame)
  }, [at])
  return (
    <div className="countdown">
      <div className="soft">{label}</div>
      <div className="countdown-face num" ref={face} aria-hidden="true" />
      <span className="hidden-visually">{distance(at, serverClock.now())}</span>
    </div>
  )
}

function write(face: HTMLElement, left: number): void {
  const parts = countdownParts(left)
  while (face.childElementCount > parts.length) face.lastElementChild!.remove()
  while (face.childElementCount < parts.length) {
    const part = document.createElement('span')
    part.append(document.createElement('b'), document.createElement('i'))
    face.append(part)
  }
  for (const [index, { value, unit }] of parts.entries()) {
    const part = face.children[index]!
    part.firstElementChild!.textContent = value
    part.lastElementChild!.textContent = unit
  }
}
