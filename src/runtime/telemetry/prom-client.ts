// The parts of prom-client that are used here, each from its own file. The package as a whole also loads summaries, clusters
// and push gateways, which take 3 MiB in every process.

import type * as PromClient from 'prom-client'
// @ts-expect-error: the file has no types; those of the package are given to it below
import counterFile from 'prom-client/lib/counter.js'
// @ts-expect-error: as above
import defaultMetricsFile from 'prom-client/lib/defaultMetrics.js'
// @ts-expect-error: as above
import gaugeFile from 'prom-client/lib/gauge.js'
// @ts-expect-error: as above
import histogramFile from 'prom-client/lib/histogram.js'
// @ts-expect-error: as above
import registryFile from 'prom-client/lib/registry.js'

export const Counter = counterFile as typeof PromClient.Counter
export type Counter<Labels extends string = string> = PromClient.Counter<Labels>
export const Gauge = gaugeFile as typeof PromClient.Gauge
export type Gauge<Labels extends string = string> = PromClient.Gauge<Labels>
export const Histogram = histogramFile as typeof PromClient.Histogram
export type Histogram<Labels extends string = string> = PromClient.Histogram<Labels>
export const Registry = registryFile as typeof PromClient.Registry
export type Registry = PromClient.Registry
export const collectDefaultMetrics = defaultMetricsFile as typeof PromClient.collectDefaultMetrics
