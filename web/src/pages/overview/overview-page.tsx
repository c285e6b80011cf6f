// How the service is doing, live, and what is coming.

import { useEffect } from 'react'
import { liveFeed } from '../../api/live-feed.ts'
import { LatenessChart } from '../../charts/lateness-chart.tsx'
import { RateChart } from '../../charts/rate-chart.tsx'
import { lateness as latenessText, roughSpan } from '../../format/times.ts'
import { hrefOf, useCurrentPlace } from '../../routing/router.ts'
import { useStore } from '../../state/store.ts'
import { useNow } from '../../state/ticking.ts'
import type { Lateness, Overview } from '../../api/overview.ts'
import { Icon } from '../../ui/icon.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { ClusterCard } from './cluster-card.tsx'
import { FiringsCard } from './firings-card.tsx'
import { ForecastCard } from './forecast-card.tsx'
import { useLiveOverview } from './live-overview.ts'
import type { LiveState } from './live-overview.ts'
import { NamespacesCard } from './namespaces-card.tsx'
import { Tiles } from './tiles.tsx'

export function OverviewPage() {
  const { params } = useCurrentPlace()
  const namespace = params.get('ns')
  const { snapshot, live } = useLiveOverview(namespace)
  const { state } = useStore(liveFeed.connection)
  const { data, error, reload } = snapshot
  useEffect(() => liveFeed.onReconnect(reload), [reload])
  return (
    <>
      <div className="page-head">
        <div className="grow">
          <h1>Overview</h1>
          <p>{data === undefined ? 'Loading…' : <About overview={data} />}</p>
        </div>
        <a className="button primary" href={hrefOf('/new', { ns: namespace })}>
          <Icon name="plus" size={15} />
          New timer
        </a>
      </div>
      <div className={state === 'lost' && live !== null ? 'stack stale' : 'stack'}>
        {error !== undefined && <Failure error={error} onRetry={reload} />}
        {data?.tracked === false && <NotTracked />}
        {live === null ? (
          error === undefined && <Loading />
        ) : (
          <Body live={live} namespace={namespace} overview={data} />
        )}
      </div>
    </>
  )
}

function Body({
  live,
  namespace,
  overview,
}: {
  readonly live: LiveState
  readonly namespace: string | null
  readonly overview: Overview | undefined
}) {
  const { figures, seconds, firings } = live
  return (
    <>
      <Tiles figures={figures} seconds={seconds} namespace={namespace} />
      <div className="overview-row">
        <section className="card" aria-labelledby="rate">
          <div className="card-head">
            <h2 id="rate">Firings per second</h2>
            <span className="legend">
              <i className="legend-line" /> fired <i className="legend-line bad" /> failed attempts
            </span>
          </div>
          <div className="card-body">
            <RateChart seconds={seconds} />
          </div>
        </section>
        <section className="card" aria-labelledby="lateness">
          <div className="card-head">
            <h2 id="lateness">Lateness</h2>
            <span className="soft small">last hour, ms</span>
          </div>
          <div className="card-body">
            <Percentiles lateness={figures.lateness} />
            <LatenessChart lateness={figures.lateness} />
          </div>
        </section>
      </div>
      <ForecastCard namespace={namespace} />
      <div className="overview-row even">
        <FiringsCard firings={firings} />
        <div className="stack">
          {namespace === null && overview !== undefined && (
            <NamespacesCard namespaces={overview.namespaces} total={overview.namespacesTotal} />
          )}
          <ClusterCard />
        </div>
      </div>
    </>
  )
}

function About({ overview }: { readonly overview: Overview }) {
  const { version, database, startedAt, node } = overview
  return (
    <span className="num">
      <span title={node}>Duetime {version}</span> on {database}, up {roughSpan(useNow() - Date.parse(startedAt))}
    </span>
  )
}

function Percentiles({ lateness }: { readonly lateness: Lateness }) {
  const names = ['p50', 'p90', 'p99', 'max'] as const
  return (
    <dl className="percentiles">
      {names.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="num">{lateness[name] === null ? '–' : latenessText(lateness[name])}</dd>
        </div>
      ))}
    </dl>
  )
}

function NotTracked() {
  return (
    <div className="notice">
      <Icon name="alert" />
      <div>
        There are more namespaces than the service keeps figures of. The counts and the forecast of this one are right;
        rates and lateness are not known.
      </div>
    </div>
  )
}

function Loading() {
  return (
    <div className="stack" role="status" aria-label="Loading the overview">
      <div className="tiles">
        {Array.from({ length: 6 }, (_, index) => (
          <Skeleton key={index} height={104} />
        ))}
      </div>
      <Skeleton height={250} />
      <Skeleton height={250} />
    </div>
  )
}
