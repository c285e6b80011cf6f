// How late firings start: each bar is the share of them within a span of lateness.

import { memo } from 'react'
import type { Bucket, Lateness } from '../api/overview.ts'
import { count, percent } from '../format/numbers.ts'
import { lateness as latenessText, millis } from '../format/times.ts'
import { AsTable } from './as-table.tsx'
import { useWidth } from './measured.ts'

const BOUNDS = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000, 5_000, Infinity] as const
const HEIGHT = 168
const MARGIN = { top: 18, bottom: 22 }
const SLOW_FROM_MS = 50 // what one would call late
const GAP = 4

export type Bar = { readonly leMs: number; readonly count: number; readonly share: number }

/** The service's fine buckets, gathered into those that are shown. */
export function barsOf(histogram: readonly Bucket[]): readonly Bar[] {
  const sums = BOUNDS.map(() => 0)
  for (const { leMs, count: number } of histogram) sums[BOUNDS.findIndex((bound) => leMs <= bound)]! += number
  const total = sums.reduce((sum, one) => sum + one, 0)
  return BOUNDS.map((leMs, index) => ({ leMs, count: sums[index]!, share: total === 0 ? 0 : sums[index]! / total }))
}

export const LatenessChart = memo(function LatenessChart({ lateness }: { readonly lateness: Lateness }) {
  const [frame, width] = useWidth(360)
  const bars = barsOf(lateness.histogram)
  const slot = width / bars.length
  const most = Math.max(0.0001, ...bars.map(({ share }) => share))
  const inner = HEIGHT - MARGIN.top - MARGIN.bottom
  return (
    <>
      <div className="chart" ref={frame}>
        <svg width={width} height={HEIGHT} role="img" aria-label={summary(lateness)}>
          <line className="grid" x1="0" x2={width} y1={HEIGHT - MARGIN.bottom} y2={HEIGHT - MARGIN.bottom} />
          {bars.map(({ leMs, count: number, share }, index) => {
            const height = number === 0 ? 0 : Math.max(2, (share / most) * inner)
            return (
              <g key={leMs}>
                {number > 0 && (
                  <rect
                    className={leMs > SLOW_FROM_MS ? 'bar warm' : 'bar'}
                    x={index * slot + GAP / 2}
                    width={slot - GAP}
                    y={HEIGHT - MARGIN.bottom - height}
                    height={height}
                    rx="3"
                  >
                    <title>{`${within(index)}: ${count(number)} (${percent(share)})`}</title>
                  </rect>
                )}
                {share >= 0.02 && (
                  <text
                    className="axis strong"
                    x={(index + 0.5) * slot}
                    y={HEIGHT - MARGIN.bottom - height - 5}
                    textAnchor="middle"
                  >
                    {Math.round(share * 100)}%
                  </text>
                )}
                <text className="axis" x={(index + 0.5) * slot} y={HEIGHT - 6} textAnchor="middle">
                  {leMs === Infinity ? '>5s' : leMs < 1_000 ? leMs : `${leMs / 1_000}s`}
                </text>
              </g>
            )
          })}
        </svg>
      </div>
      <AsTable
        label="Lateness"
        columns={['Lateness', 'Firings']}
        rows={() => bars.map((bar, index) => [within(index), count(bar.count)])}
      />
    </>
  )
})

function within(index: number): string {
  const from = index === 0 ? 0 : BOUNDS[index - 1]!
  const to = BOUNDS[index]!
  return to === Infinity ? `more than ${millis(from)}` : `${from === 0 ? 'up to' : `${millis(from)} to`} ${millis(to)}`
}

function summary({ count: number, p50, p99, max }: Lateness): string {
  if (number === 0) return 'Lateness of firings: none yet'
  const [half, most, all] = [p50, p99, max].map((ms) => latenessText(ms ?? 0))
  return `Lateness of ${number} firings: half within ${half}, 99 % within ${most}, at most ${all}`
}
