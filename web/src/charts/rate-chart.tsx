// Firings per second over the last minutes: what was delivered as an area, what went wrong as a line on top of it.

import { memo } from 'react'
import type { Second } from '../api/overview.ts'
import { rate } from '../format/numbers.ts'
import { useWidth } from './measured.ts'
import { linePath, niceMax } from './scale.ts'

const HEIGHT = 236
const MARGIN = { top: 10, right: 8, bottom: 22, left: 46 }
const LEAST_TOP = 4 // an idle service is a flat line, not a mountain range of ones

/** As much as is known fits in, more or less; a mark for each part. */
const SPANS = [
  { seconds: 60, parts: 4, untilKnown: 75 },
  { seconds: 120, parts: 4, untilKnown: 150 },
  { seconds: 300, parts: 5, untilKnown: Infinity },
] as const

export const RateChart = memo(function RateChart({ seconds: known }: { readonly seconds: readonly Second[] }) {
  const axis = SPANS.find(({ untilKnown }) => known.length <= untilKnown)!
  const span = axis.seconds + 1
  const seconds = known.slice(-span)
  const [frame, width] = useWidth(640)
  const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom }
  const top = niceMax(Math.max(0, ...seconds.map(({ fired }) => fired), ...seconds.map(bad)), LEAST_TOP)
  const x = (index: number) => MARGIN.left + ((span - seconds.length + index) / (span - 1)) * inner.width
  const y = (value: number) => MARGIN.top + inner.height * (1 - value / top)
  const fired = seconds.map((second, index) => [x(index), y(second.fired)] as const)
  const failed = seconds.map((second, index) => [x(index), y(bad(second))] as const)
  const base = MARGIN.top + inner.height
  const area =
    fired.length === 0
      ? ''
      : `${linePath(fired)}L${fired.at(-1)![0].toFixed(1)} ${base}L${fired[0]![0].toFixed(1)} ${base}Z`
  const latest = fired.at(-1)
  return (
    <div className="chart" ref={frame}>
      <svg width={width} height={HEIGHT} role="img" aria-label={summary(seconds)}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line className="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(top * share)} y2={y(top * share)} />
            <text className="axis" x={MARGIN.left - 8} y={y(top * share) + 4} textAnchor="end">
              {rate(top * share)}
            </text>
          </g>
        ))}
        {ticks(axis).map(({ index, text }) => (
          <text
            key={text}
            className="axis"
            x={MARGIN.left + (index / (span - 1)) * inner.width}
            y={HEIGHT - 5}
            textAnchor={text === 'now' ? 'end' : index === 0 ? 'start' : 'middle'}
          >
            {text}
          </text>
        ))}
        <path className="area" d={area} />
        <path className="line" d={linePath(fired)} />
        {seconds.some((second) => bad(second) > 0) && <path className="line bad" d={linePath(failed)} />}
        {latest !== undefined && <circle className="dot" cx={latest[0]} cy={latest[1]} r="3.5" />}
      </svg>
    </div>
  )
})

function bad({ failed, retried }: Second): number {
  return failed + retried
}

function ticks({ seconds, parts }: (typeof SPANS)[number]): { index: number; text: string }[] {
  return Array.from({ length: parts + 1 }, (_, part) => {
    const index = (seconds / parts) * part
    const ago = seconds - index
    return { index, text: ago === 0 ? 'now' : ago % 60 === 0 ? `−${ago / 60} min` : `−${ago} s` }
  })
}

function summary(seconds: readonly Second[]): string {
  const last = seconds.at(-1)
  if (last === undefined) return 'Firings per second: nothing known yet'
  const most = Math.max(...seconds.map(({ fired }) => fired))
  const failed = seconds.reduce((sum, one) => sum + bad(one), 0)
  const rates = `${last.fired} in the last second, at most ${most}`
  return `Firings per second over the last ${seconds.length} seconds: ${rates}, ${failed} failed attempts`
}
