// Apache Cassandra from Maven, one node or three, with small heaps. Every write is synced before it is acknowledged, as the service
// demands of a real cluster.

import { mkdirSync, writeFileSync } from 'node:fs'
import { answersTo } from '../answers.ts'
import { cached, fillCache, isCached } from '../cache.ts'
import { fetchJars } from '../install/maven.ts'
import type { ServerKind } from '../server-kind.ts'
import type { ServerRun } from '../server-run.ts'
import { bySize } from '../server-size.ts'

const VERSION = '5.0.9'
const KEY = `cassandra-${VERSION}`
const SEED = '127.0.0.1'

// From the project's own jvm17-server.options.
const EXPORTED = [
  'java.base/jdk.internal.misc',
  'java.base/java.lang.ref',
  'java.management.rmi/com.sun.jmx.remote.internal.rmi',
  'java.rmi/sun.rmi.registry',
  'java.rmi/sun.rmi.server',
  'java.sql/java.sql',
  'jdk.unsupported/sun.misc',
  'jdk.compiler/com.sun.tools.javac.file',
  'jdk.attach/sun.tools.attach',
]
const OPENED = [
  ...['java.lang', 'java.lang.module', 'java.lang.reflect', 'java.io', 'java.util', 'sun.nio.ch'].map(ofBase),
  ...['loader', 'ref', 'reflect', 'math', 'module', 'util.jar'].map((name) => ofBase(`jdk.internal.${name}`)),
  'jdk.management/com.sun.management.internal',
  'jdk.compiler/com.sun.tools.javac',
]

function ofBase(name: string): string {
  return `java.base/${name}`
}

export const cassandra: ServerKind = {
  ...kindOf(['127.0.0.1'], 512),
  name: 'cassandra',
  title: `Cassandra ${VERSION} (one node)`,
}

/** On three addresses of the loopback interface; each is a process of its own, by its address. */
export const cassandra3: ServerKind = {
  ...kindOf(['127.0.0.1', '127.0.0.2', '127.0.0.3'], 400),
  name: 'cassandra-3',
  title: `Cassandra ${VERSION} (three nodes)`,
}

function kindOf(hosts: readonly string[], heapMiB: number): Omit<ServerKind, 'name' | 'title'> {
  return {
    needs: ['java', 'mvn'],
    cost: '83 MB',
    inEveryRun: true,
    nodes: hosts,
    isInstalled: () => isCached(KEY),
    install: () =>
      fillCache(KEY, (directory) =>
        fetchJars(directory, { group: 'org.apache.cassandra', name: 'cassandra-all', version: VERSION }),
      ),
    start: async (run) => {
      // One after the other: nodes that join at the same time do not see each other.
      for (const host of hosts) {
        if (run.isRunning(host)) continue
        await startNode(run, { host, heapMiB, others: hosts.filter((other) => run.isRunning(other)) })
      }
    },
    url: (port, database) => `cassandra://${hosts.map((host) => `${host}:${port}`).join(',')}/${database}`,
  }
}

type Node = { readonly host: string; readonly heapMiB: number; readonly others: readonly string[] }

async function startNode(run: ServerRun, { host, heapMiB, others }: Node): Promise<void> {
  const port = await run.port()
  mkdirSync(run.path(host, 'conf'), { recursive: true })
  writeFileSync(run.path(host, 'conf', 'cassandra.yaml'), await configuration(run, host))
  writeFileSync(run.path(host, 'conf', 'logback.xml'), LOGGING)
  const args = [
    ...['-Djdk.attach.allowAttachSelf=true', '-Dio.netty.tryReflectionSetAccessible=true', '-XX:+UseG1GC'],
    ...EXPORTED.flatMap((name) => ['--add-exports', `${name}=ALL-UNNAMED`]),
    ...OPENED.flatMap((name) => ['--add-opens', `${name}=ALL-UNNAMED`]),
    ...bySize({
      small: [`-Xms${heapMiB}m`, `-Xmx${heapMiB}m`, '-XX:TieredStopAtLevel=1'], // starts in half the time
      large: ['-Xms2g', '-Xmx2g'],
    }),
    `-javaagent:${cached(KEY, 'lib', 'jamm-0.4.0.jar')}`,
    `-Dcassandra.config=file://${run.path(host, 'conf', 'cassandra.yaml')}`,
    ...[`-Dcassandra.storagedir=${run.path(host, 'data')}`, `-Dcassandra.logdir=${run.path(host)}`],
    `-Dcassandra.jmx.local.port=${await run.port(`jmx ${host}`)}`,
    ...['-Dcassandra.skip_wait_for_gossip_to_settle=0', '-Dcassandra.ring_delay_ms=1000'],
    ...['-Dcassandra.consistent.rangemovement=false', '-Dcassandra.superuser_setup_delay_ms=0'],
    ...['-cp', `${run.path(host, 'conf')}:${cached(KEY, 'lib')}/*`, 'org.apache.cassandra.service.CassandraDaemon'],
  ]
  const answers = () => answersTo(port, OPTIONS, (answer) => answer[4] === SUPPORTED, host)
  const isReady = async () => (await answers()) && knowEachOther([host, ...others], port)
  await run.launch({ name: host, command: 'java', args }, isReady)
}

/** A node answers before the others have heard of it, and a keyspace has as many replicas as its maker is told of nodes. */
async function knowEachOther(hosts: readonly string[], port: number): Promise<boolean> {
  if (hosts.length === 1) return true
  const { Client } = await import('cassandra-driver')
  for (const host of hosts) {
    const client = new Client({ contactPoints: [`${host}:${port}`], localDataCenter: 'datacenter1' })
    try {
      await client.connect()
      if (client.hosts.length < hosts.length) return false
    } finally {
      await client.shutdown()
    }
  }
  return true
}

// The first question of every client, in version 4 of the protocol, and the kind of its answer.
const OPTIONS = Buffer.from([4, 0, 0, 0, 5, 0, 0, 0, 0])
const SUPPORTED = 6

/** With the settings in CASSANDRA_YAML, which come last: tests of rights and of TLS have some. */
async function configuration(run: ServerRun, host: string): Promise<string> {
  const storage = await run.port('storage')
  const directories = ['commitlog', 'saved_caches', 'hints', 'cdc_raw']
  return `cluster_name: duetime
num_tokens: 4
auto_bootstrap: false
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
listen_address: ${host}
rpc_address: ${host}
native_transport_port: ${run.knownPort()}
storage_port: ${storage}
ssl_storage_port: ${await run.port('ssl')}
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: "${SEED}:${storage}"
endpoint_snitch: SimpleSnitch
${commitLogSync()}
data_file_directories: ['${run.path(host, 'data', 'data')}']
${directories.map((name) => `${name}_directory: ${run.path(host, 'data', name)}`).join('\n')}
disk_access_mode: auto
commitlog_segment_size: 8MiB
commitlog_total_space: ${bySize({ small: 256, large: 2_048 })}MiB
memtable_heap_space: ${bySize({ small: 128, large: 512 })}MiB
memtable_offheap_space: ${bySize({ small: 128, large: 512 })}MiB
paxos_variant: v2
auto_snapshot: false
${process.env['CASSANDRA_YAML'] ?? ''}
`
}

/** Another one where CASSANDRA_COMMITLOG_SYNC says so, to see what the service says to it. */
function commitLogSync(): string {
  const sync = process.env['CASSANDRA_COMMITLOG_SYNC'] ?? 'batch'
  return `commitlog_sync: ${sync}${sync === 'periodic' ? '\ncommitlog_sync_period: 10s' : ''}`
}

const LOGGING = `<configuration>
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%d %level %logger{0} %msg%n</pattern></encoder></appender>
  <root level="WARN"><appender-ref ref="OUT" /></root>
</configuration>
`
