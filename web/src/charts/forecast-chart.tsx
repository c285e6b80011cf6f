// What is coming: how many timers are due in each step ahead, hot spots marked. A click leads to the timers themselves.

import { memo, useState } from 'react'
import type { Forecast, ForecastStep } from '../api/overview.ts'
import { count, plural, roughly } from '../format/numbers.ts'
import { useWidth } from './measured.ts'
import { niceMax } from './scale.ts'

const HEIGHT = 190
const MARGIN = { top: 24, right: 4, bottom: 22, left: 46 }
const LABEL_EVERY_PX = 90

type ForecastChartProps = {
  readonly forecast: Forecast
  readonly labelOf: (at: string) => string
  readonly onPick: (step: ForecastStep) => void
}

export const ForecastChart = memo(function ForecastChart({ forecast, labelOf, onPick }: ForecastChartProps) {
  const [frame, width] = useWidth(900)
  const [hovered, setHovered] = useState<number | null>(null)
  const { steps, peak } = forecast
  const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom }
  const slot = inner.width / steps.length
  const top = niceMax(Math.max(0, ...steps.map((step) => step.count)), 4)
  const y = (value: number) => MARGIN.top + inner.height * (1 - value / top)
  const labelEvery = Math.max(1, Math.ceil(LABEL_EVERY_PX / slot))
  const shown = hovered === null ? null : (steps[hovered] ?? null)
  const indexAt = (clientX: number, left: number) =>
    Math.min(steps.length - 1, Math.max(0, Math.floor((clientX - left - MARGIN.left) / slot)))
  return (
    <div className="chart" ref={frame}>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={summary(forecast, labelOf)}
        onPointerMove={(event) => setHovered(indexAt(event.clientX, event.currentTarget.getBoundingClientRect().left))}
        onPointerLeave={() => setHovered(null)}
        onClick={() => shown !== null && shown.count > 0 && onPick(shown)}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line className="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(top * share)} y2={y(top * share)} />
            <text className="axis" x={MARGIN.left - 8} y={y(top * share) + 4} textAnchor="end">
              {roughly(top * share)}
            </text>
          </g>
        ))}
        {hovered !== null && (
          <rect className="hover" x={MARGIN.left + hovered * slot} width={slot} y={MARGIN.top} height={inner.height} />
        )}
        {steps.map((step, index) => {
          const height = step.count === 0 ? 0 : Math.max(2, inner.height - (y(step.count) - MARGIN.top))
          const x = MARGIN.left + index * slot
          const isPeak = peak !== null && peak.at === step.at && step.hot
          return (
            <g key={step.at}>
              {step.count > 0 && (
                <rect
                  className={step.hot ? 'bar hot' : 'bar'}
                  x={x + Math.min(1.5, slot * 0.12)}
                  width={Math.max(1, slot - Math.min(3, slot * 0.24))}
                  y={MARGIN.top + inner.height - height}
                  height={height}
                  rx={Math.min(3, slot / 4)}
                />
              )}
              {isPeak && (
                <text
                  className="axis peak"
                  x={clamp(x + slot / 2, MARGIN.left + 24, width - 30)}
                  y={MARGIN.top + inner.height - height - 7}
                  textAnchor="middle"
                >
                  {roughly(step.count)}
                </text>
              )}
              {index % labelEvery === 0 && (index + labelEvery / 2 <= steps.length || index === 0) && (
                <text className="axis" x={x} y={HEIGHT - 5} textAnchor={index === 0 ? 'start' : 'middle'}>
                  {index === 0 ? 'now' : labelOf(step.at)}
                </text>
              )}
            </g>
          )
        })}
      </svg>
      <div className="chart-tip num" aria-hidden="true" style={tipPlace(hovered, slot, width)} hidden={shown === null}>
        {shown !== null && (
          <>
            <strong>{plural(shown.count, 'timer')}</strong> {labelOf(shown.at)}
            {shown.hot && ' · hot'}
          </>
        )}
      </div>
    </div>
  )
})

function tipPlace(hovered: number | null, slot: number, width: number): { left: number } {
  return { left: hovered === null ? 0 : clamp(MARGIN.left + (hovered + 0.5) * slot, 90, width - 90) }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}

function summary({ total, steps, peak }: Forecast, labelOf: (at: string) => string): string {
  if (total === 0 || peak === null) return 'Forecast: nothing is due in this time'
  const hot = steps.filter((step) => step.hot).length
  return `Forecast: ${count(total)} timers due, most of them, ${count(peak.count)}, at ${labelOf(peak.at)}; ${plural(hot, 'hot spot')}`
}
