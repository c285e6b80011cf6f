// A program that uses one of the systems, in a process of its own: it does what the comparison asks for and says how long
// it took. The database, and the service where there is one, are other processes.

import { closeSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { answerQuestions, setup } from '../harness/helper-side.ts'
import { spreadOf } from '../harness/statistics.ts'
import type { Spread } from '../harness/statistics.ts'
import { PAYLOAD } from './system.ts'
import type { Handle, Job, Opening, System, SystemModule } from './system.ts'

export type Setup = Opening & { readonly module: string }

export type Question =
  /** Creates of jobs that are far from due, so many in flight, for so long. */
  | { readonly do: 'creates'; readonly inFlight: number; readonly durationMs: number }
  /** So many, in the system's way for many. With a `dueAt` they are due then, else far from it. */
  | { readonly do: 'bulk'; readonly count: number; readonly dueAt?: number; readonly url?: string | null }
  /** Works. What was done is written to `file`, a line each, where one is given. */
  | { readonly do: 'work'; readonly file?: string }
  /** Waits until so many are done since `work` or the last of these. */
  | { readonly do: 'await'; readonly count: number; readonly timeoutMs: number }
  /** Creates `perSecond` for so long, each due in a second. */
  | { readonly do: 'lateness'; readonly perSecond: number; readonly durationMs: number; readonly url: string | null }

  /** A day of a service, shortened: see `day`. */
  | { readonly do: 'day'; readonly perSecond: number; readonly durationMs: number }

export type Reply = {
  readonly perSecond?: number
  readonly durationMs?: number
  readonly done?: number
  readonly toFire?: number
  /** By the wall clock. */
  readonly lastAt?: number
  readonly latenessMs?: Spread | null
}

const FAR_MS = 30 * 24 * 3_600_000
const BULK = 1_000
const BULK_IN_FLIGHT = 4
const AHEAD_MS = 1_000
const POST_CONNECTIONS = 64

const { module, ...opening } = setup<Setup>()
const { open } = (await import(new URL(`./systems/${module}.ts`, import.meta.url).href)) as SystemModule
const system: System = await open(opening)

let made = 0
let done = 0
let lastAt = 0
let lateness: number[] = []
let onDone: (() => void) | null = null
let pool: Pool | null = null
/** Of those that are to fail once, who has not failed yet. */
const failing = new Set<string>()
const prefix = `${process.pid}-${Date.now().toString(36)}`

answerQuestions<Question, Reply>({}, (question) => {
  switch (question.do) {
    case 'creates':
      return creates(question.inFlight, question.durationMs)
    case 'bulk':
      return bulk(question.count, question.dueAt ?? null, question.url ?? null)
    case 'work':
      return work(question.file ?? null)
    case 'await':
      return awaitDone(question.count, question.timeoutMs)
    case 'lateness':
      return latenessOf(question)
    case 'day':
      return day(question)
  }
})

async function creates(inFlight: number, durationMs: number): Promise<Reply> {
  const startedAt = performance.now()
  const until = startedAt + durationMs
  let count = 0
  const one = async () => {
    while (performance.now() < until) {
      await system.create(farJob())
      count++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, one))
  return { perSecond: (count * 1_000) / (performance.now() - startedAt), done: count }
}

async function bulk(count: number, dueAt: number | null, url: string | null): Promise<Reply> {
  const startedAt = performance.now()
  let left = count
  const one = async () => {
    while (left > 0) {
      const size = Math.min(BULK, left)
      left -= size
      await system.createMany(
        Array.from({ length: size }, () => (dueAt === null ? farJob() : { id: nextId(), dueAt, url })),
      )
    }
  }
  await Promise.all(Array.from({ length: BULK_IN_FLIGHT }, one))
  const durationMs = performance.now() - startedAt
  return { perSecond: (count * 1_000) / durationMs, durationMs }
}

async function work(file: string | null): Promise<Reply> {
  const log = file === null ? null : openSync(file, 'a')
  if (log !== null) process.on('exit', () => closeSync(log))
  const handle: Handle = async (job) => {
    const now = performance.timeOrigin + performance.now()
    if (failing.size > 0 && failing.delete(job.id)) throw new Error('it fails once')
    if (job.url !== null) await post(job)
    if (log !== null) writeSync(log, `${job.id}\n`)
    lateness.push(now - job.dueAt)
    done++
    lastAt = Date.now()
    onDone?.()
  }
  await system.work(handle)
  return {}
}

async function awaitDone(count: number, timeoutMs: number): Promise<Reply> {
  if (done < count) {
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, timeoutMs)
      onDone = () => {
        if (done < count) return
        clearTimeout(timeout)
        resolve()
      }
    })
    onDone = null
  }
  const reply = { done, lastAt, latenessMs: lateness.length === 0 ? null : spreadOf(Float64Array.from(lateness)) }
  done = 0
  lateness = []
  return reply
}

async function latenessOf({ perSecond, durationMs, url }: Extract<Question, { do: 'lateness' }>): Promise<Reply> {
  const count = Math.round((perSecond * durationMs) / 1_000)
  const startedAt = performance.now()
  const created: Promise<unknown>[] = []
  for (let n = 0; n < count; n++) {
    const at = startedAt + (n * 1_000) / perSecond
    const waitMs = at - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    created.push(system.create({ id: nextId(), dueAt: Date.now() + AHEAD_MS, url }))
  }
  await Promise.all(created)
  return { done: count }
}

/** Of ten timers six are canceled before they are due, one is moved, and one of thirty fails at first; the others just fire. */
async function day({ perSecond, durationMs }: Extract<Question, { do: 'day' }>): Promise<Reply> {
  const count = Math.round((perSecond * durationMs) / 1_000)
  const startedAt = performance.now()
  const under: Promise<unknown>[] = []
  let toFire = 0
  for (let n = 0; n < count; n++) {
    const waitMs = startedAt + (n * 1_000) / perSecond - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const fate = n % 10 < 6 ? 'canceled' : n % 10 === 6 ? 'moved' : n % 30 === 9 ? 'failing' : 'fired'
    if (fate !== 'canceled') toFire++
    under.push(lifeOf(fate))
  }
  await Promise.all(under)
  const tookMs = performance.now() - startedAt
  if (tookMs > durationMs + 2 * AHEAD_MS)
    throw new Error(`${perSecond} a second were too many: ${Math.round(tookMs)} ms`)
  return { done: count, toFire }
}

async function lifeOf(fate: 'canceled' | 'moved' | 'failing' | 'fired'): Promise<void> {
  const isChanged = fate === 'canceled' || fate === 'moved'
  const failsOnce = fate === 'failing'
  const job = { id: nextId(), dueAt: Date.now() + 2 * AHEAD_MS, url: null, isChanged, failsOnce }
  if (failsOnce) failing.add(job.id)
  await system.create(job)
  if (!isChanged) return
  await sleep(AHEAD_MS)
  if (fate === 'canceled') await system.cancel(job)
  else await system.reschedule({ ...job, dueAt: job.dueAt + AHEAD_MS })
}

/** What a worker of a library does to call somebody: one POST, as a delivery of Duetime's is. */
async function post({ id, dueAt, url }: Job): Promise<void> {
  const { origin, pathname } = new URL(url!)
  pool ??= new Pool(origin, { connections: POST_CONNECTIONS })
  const response = await pool.request({
    method: 'POST',
    path: pathname,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, payload: PAYLOAD, executeAt: new Date(dueAt).toISOString() }),
  })
  await response.body.dump()
  if (response.statusCode !== 200) throw new Error(`the receiver answered ${response.statusCode}`)
}

function farJob(): Job {
  return { id: nextId(), dueAt: Date.now() + FAR_MS + Math.floor(Math.random() * FAR_MS), url: null }
}

function nextId(): string {
  return `job-${prefix}-${made++}`
}
