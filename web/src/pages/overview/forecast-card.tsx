// The load that is coming, by the second, minute, hour or day.

import { useCallback, useState } from 'react'
import { loadForecast } from '../../api/overview.ts'
import type { Forecast, ForecastStep, StepUnit } from '../../api/overview.ts'
import { AsTable } from '../../charts/as-table.tsx'
import { ForecastChart } from '../../charts/forecast-chart.tsx'
import { count, plural } from '../../format/numbers.ts'
import { hrefOf, navigate } from '../../routing/router.ts'
import { useResource } from '../../state/resource.ts'
import { Icon } from '../../ui/icon.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Choice } from '../../ui/tabs.tsx'

const CHOICES = [
  ['second', 'Seconds'],
  ['minute', 'Minutes'],
  ['hour', 'Hours'],
  ['day', 'Days'],
] as const
const REFRESH_MS: Readonly<Record<StepUnit, number>> = { second: 2_000, minute: 5_000, hour: 15_000, day: 30_000 }
const HOT_SHOWN = 4
const MINUTE_MS = 60_000

const FORMATS: Readonly<Record<StepUnit, Intl.DateTimeFormat>> = {
  second: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
  minute: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }),
  hour: new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }),
}

export function ForecastCard({ namespace }: { readonly namespace: string | null }) {
  const [step, setStep] = useState<StepUnit>('minute')
  const { data, error, isStale, reload } = useResource(
    `forecast ${step} ${namespace ?? ''}`,
    (signal) => loadForecast(step, namespace, signal),
    { refreshMs: REFRESH_MS[step] },
  )
  const unit = data === undefined ? step : unitOf(data.stepMs)
  const labelOf = useCallback((at: string) => FORMATS[unit].format(new Date(at)), [unit])
  const stepMs = data?.stepMs ?? 0
  const pick = useCallback(
    (picked: ForecastStep) => navigate(hrefOfStep(picked, stepMs, namespace)),
    [stepMs, namespace],
  )
  return (
    <section className="card" aria-labelledby="forecast">
      <div className="card-head">
        <h2 id="forecast">Forecast</h2>
        <span className="soft small num">{data === undefined ? '' : words(data)}</span>
        <div className="end">
          <Choice label="Step of the forecast" value={step} options={CHOICES} onChange={setStep} />
        </div>
      </div>
      <div className="card-body">
        {error !== undefined && <Failure error={error} onRetry={reload} />}
        {data === undefined ? (
          error === undefined && <Skeleton height={190} />
        ) : (
          <div className={isStale ? 'stale' : ''}>
            <ForecastChart forecast={data} labelOf={labelOf} onPick={pick} />
            <div className="forecast-foot">
              <HotSpots forecast={data} labelOf={labelOf} namespace={namespace} />
              <AsTable
                label="Forecast"
                columns={['From', 'Timers due']}
                rows={() =>
                  data.steps
                    .filter((one) => one.count > 0)
                    .map((one) => [labelOf(one.at), `${count(one.count)}${one.hot ? ' (hot)' : ''}`])
                }
              />
            </div>
          </div>
        )}
      </div>
    </section>
  )
}

function HotSpots({
  forecast,
  labelOf,
  namespace,
}: {
  readonly forecast: Forecast
  readonly labelOf: (at: string) => string
  readonly namespace: string | null
}) {
  const hot = forecast.steps.filter((step) => step.hot)
  if (hot.length === 0) return <span className="soft small">No hot spots.</span>
  const top = hot.toSorted((a, b) => b.count - a.count).slice(0, HOT_SHOWN)
  return (
    <ul className="hot-spots" aria-label="Hot spots">
      {top.map((step) => (
        <li key={step.at}>
          <a className="hot-spot num" href={hrefOfStep(step, forecast.stepMs, namespace)}>
            <Icon name="flame" size={14} />
            {labelOf(step.at)} <strong>{count(step.count)}</strong>
          </a>
        </li>
      ))}
      {hot.length > top.length && <li className="soft small">and {hot.length - top.length} more</li>}
    </ul>
  )
}

function words({ total, overdue, complete, steps, stepMs }: Forecast): string {
  if (!complete) return 'more timers than the database counts quickly'
  const late = overdue === 0 ? '' : `, ${plural(overdue, 'timer')} overdue`
  return `${plural(total, 'timer')} due in the next ${spanWords(steps.length * stepMs)}${late}`
}

function spanWords(ms: number): string {
  const minutes = ms / MINUTE_MS
  if (minutes <= 60) return minutes === 60 ? 'hour' : `${minutes} minutes`
  return minutes <= 48 * 60 ? `${minutes / 60} hours` : `${minutes / (24 * 60)} days`
}

function unitOf(stepMs: number): StepUnit {
  return stepMs < 60_000 ? 'second' : stepMs < 3_600_000 ? 'minute' : stepMs < 86_400_000 ? 'hour' : 'day'
}

function hrefOfStep({ at }: ForecastStep, stepMs: number, namespace: string | null): string {
  const to = new Date(Date.parse(at) + stepMs).toISOString()
  return hrefOf('/timers', { ns: namespace, due: 'custom', from: at, to, status: 'pending' })
}
