// The overview of a cluster: which nodes live, and who owns what, while that changes.

import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needsBrowser, openPage } from '../support/browser.ts'
import { Cluster } from '../support/cluster/cluster.ts'
import type { ClusterNode } from '../support/cluster/cluster-node.ts'
import { assertAccessible } from './web-page.fixture.ts'

const SHARDS = 8

const rowOf = (page: Page, { fromPeers }: ClusterNode) =>
  page
    .getByRole('table', { name: 'Nodes' })
    .getByRole('row')
    .filter({ hasText: `:${fromPeers.port}` })

test(
  'nodes and shards are shown, and a node that dies is seen to be silent while the other takes its shards',
  needsBrowser,
  async (t) => {
    const cluster = await Cluster.start(t, { nodes: 2, env: { SHARDS: String(SHARDS), LEASE: '2s' } })
    const [a, b] = cluster.nodes as [ClusterNode, ClusterNode]
    const page = await openPage(t, `${a.url}/`)
    await page.getByText(`2 nodes, ${SHARDS} shards`).waitFor()
    await rowOf(page, a).getByText('(answers)').waitFor()
    await rowOf(page, b).getByText('alive').waitFor()
    await assertAccessible(page, 'the overview of a cluster')
    await b.kill()
    await rowOf(page, b).getByText('silent').waitFor()
    await rowOf(page, a)
      .getByRole('cell', { name: String(SHARDS), exact: true })
      .waitFor()
    await page.getByRole('img', { name: `${SHARDS} shards, all of them owned` }).waitFor()
  },
)
