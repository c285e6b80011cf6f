// A place in the cluster: a port, a way to the database and a way for the other nodes to come here, each of which can be
// cut. One process after the other runs in it.

import type { ClusterView } from '../../../src/engine/engine.ts'
import { freePort } from '../ports.ts'
import type { Environment, ExitStatus } from '../service.ts'
import { Service } from '../service.ts'
import type { ClusterDatabase } from './cluster-database.ts'
import { SeverableLink } from './severable-link.ts'

export type NodePlace = {
  readonly name: string
  readonly cwd: string
  readonly database: ClusterDatabase
  readonly env: Environment
}

export class ClusterNode {
  readonly name: string
  readonly toDatabase: SeverableLink
  /** The way on which the other nodes come; clients have their own. */
  readonly fromPeers: SeverableLink
  /** Every process there was, for what it logged. */
  readonly lives: Service[] = []
  /** Whether a load balancer would send clients here. */
  inService = false
  readonly #place: { readonly cwd: string; readonly env: Environment }

  private constructor({ name, cwd, env }: NodePlace, links: { toDatabase: SeverableLink; fromPeers: SeverableLink }) {
    this.name = name
    this.toDatabase = links.toDatabase
    this.fromPeers = links.fromPeers
    this.#place = { cwd, env }
  }

  static async at(place: NodePlace): Promise<ClusterNode> {
    const port = await freePort()
    const toDatabase = await SeverableLink.to(place.database.port, place.database.hosts)
    const fromPeers = await SeverableLink.to(port)
    const env = {
      ...place.env,
      ...place.database.settings(toDatabase.port),
      PORT: String(port),
      NODE_URL: `http://127.0.0.1:${fromPeers.port}`,
    }
    return new ClusterNode({ ...place, env }, { toDatabase, fromPeers })
  }

  get service(): Service {
    const service = this.lives.at(-1)
    if (service === undefined) throw new Error(`${this.name} was never started`)
    return service
  }

  get url(): string {
    return this.service.url
  }

  async start(): Promise<void> {
    this.lives.push(new Service(this.#place))
    await this.service.listening
    this.inService = true
  }

  /** As an orchestrator does it: SIGTERM, and no new clients once it says that it is not ready. */
  async stop(): Promise<ExitStatus> {
    this.service.signal('SIGTERM')
    this.inService = false
    return this.service.exited
  }

  async kill(): Promise<void> {
    const gone = this.service.kill()
    this.inService = false
    await gone
  }

  /** It does not notice that time goes by. */
  freeze(): void {
    this.inService = false
    process.kill(this.service.pid, 'SIGSTOP')
  }

  thaw(): void {
    process.kill(this.service.pid, 'SIGCONT')
  }

  async view(): Promise<ClusterView> {
    const response = await fetch(`${this.url}/api/v1/cluster`, { signal: AbortSignal.timeout(5_000) })
    return (await response.json()) as ClusterView
  }

  async isReady(): Promise<boolean> {
    return (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(20_000) })).ok
  }

  async dispose(): Promise<void> {
    await this.lives.at(-1)?.kill()
    this.toDatabase.stop()
    this.fromPeers.stop()
  }
}
