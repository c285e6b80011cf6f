// NATS: scheduled messages of one stream. A message with a schedule lies in the stream until its time; then the server stores it
// once more, under the subject that a consumer reads. A work queue: what is acknowledged is removed.

import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import { connect, headers } from '@nats-io/transport-node'
import type { MsgHdrs } from '@nats-io/transport-node'
import type { Job, Opening, System } from '../system.ts'
import { PAYLOAD } from '../system.ts'

const STREAM = 'timers'
const CONSUMER = 'worker'
const DUE = 'due'
const UNACKED_MAX = { default: 1_000, tuned: 10_000 }
const RETRY_MS = 1_000
const BATCH_TIMEOUT_MS = 60_000

export async function open({ database, settings }: Opening): Promise<System> {
  const connection = await connect({ servers: database })
  const manager = await jetstreamManager(connection)
  await manager.streams.add({
    name: STREAM,
    subjects: ['timer.*', DUE],
    storage: StorageType.File,
    retention: RetentionPolicy.Workqueue,
    allow_msg_schedules: true,
    allow_atomic: true,
  })
  await manager.consumers.add(STREAM, {
    durable_name: CONSUMER,
    filter_subject: DUE,
    ack_policy: AckPolicy.Explicit,
    max_ack_pending: UNACKED_MAX[settings],
  })
  const stream = jetstream(connection)
  const subjectOf = ({ id }: Job) => `timer.${id}`
  const bodyOf = (job: Job) => JSON.stringify({ ...PAYLOAD, ...job })
  const scheduleOf = ({ dueAt }: Job) => ({ schedule: { specification: new Date(dueAt), target: DUE } })
  const create = (job: Job) => stream.publish(subjectOf(job), bodyOf(job), scheduleOf(job))
  let messages: ConsumerMessages | null = null
  return {
    create,
    /** An atomic batch, which has at most 1,000 messages. */
    async createMany(jobs) {
      if (jobs.length < 2) return void (await Promise.all(jobs.map(create)))
      const [first, last] = [jobs[0]!, jobs.at(-1)!]
      const batch = await stream.startBatch(subjectOf(first), bodyOf(first), scheduleOf(first))
      for (const job of jobs.slice(1, -1)) batch.add(subjectOf(job), bodyOf(job), { headers: headersOf(job) })
      await batch.commit(subjectOf(last), bodyOf(last), { headers: headersOf(last), timeout: BATCH_TIMEOUT_MS })
    },
    cancel: (job) => manager.streams.purge(STREAM, { filter: subjectOf(job) }),
    reschedule: create, // the one with the same subject is replaced
    async work(handle) {
      messages = await (
        await stream.consumers.get(STREAM, CONSUMER)
      ).consume({
        max_messages: UNACKED_MAX[settings],
        callback: (message) => void handled(message, handle),
      })
    },
    async close() {
      await messages?.close()
      await connection.close()
    },
  }
}

/** The client has options for them, but not in a batch. */
function headersOf({ dueAt }: Job): MsgHdrs {
  const schedule = headers()
  schedule.set('Nats-Schedule', `@at ${new Date(dueAt).toISOString()}`)
  schedule.set('Nats-Schedule-Target', DUE)
  return schedule
}

async function handled(message: JsMsg, handle: (job: Job) => Promise<void> | void): Promise<void> {
  try {
    await handle(message.json<Job>())
    message.ack()
  } catch {
    message.nak(RETRY_MS)
  }
}
