// What every system of the comparison can do, said once: a small adapter per system, so that all do the same work. An
// adapter runs in a process of its own, which is the program that would use the system: a library in it, or a client.

/** Something to be done at a time. `url`: to be posted there; null: a function of the program is called. */
export type Job = {
  readonly id: string
  readonly dueAt: number
  readonly url: string | null
  /** Its first attempt will fail; the next is to be made about a second later. */
  readonly failsOnce?: boolean
  /** It will be canceled or rescheduled. */
  readonly isChanged?: boolean
}

export type System = {
  /** Resolves when the system says that it is stored. */
  create(job: Job): Promise<unknown>
  /** The documented way to store many; resolves when all are. */
  createMany(jobs: readonly Job[]): Promise<unknown>
  /** Of one that was created by itself and is not due yet. */
  cancel(job: Job): Promise<unknown>
  /** The same for one that is due at another time now. */
  reschedule(job: Job): Promise<unknown>
  /** Begins to work; `handle` is the function of the program. */
  work(handle: Handle): Promise<void>
  close(): Promise<void>
}

/** Called for every job that is due. What it returns is awaited before the job counts as done. */
export type Handle = (job: Job) => Promise<void> | void

/** `default`: what its documentation starts with. `tuned`: its best documented settings for this work. */
export type Settings = 'default' | 'tuned'

export type Opening = { readonly database: string; readonly settings: Settings }
export type SystemModule = { readonly open: (opening: Opening) => Promise<System> }

/** What a program would send along: an order and a reason. */
export const PAYLOAD = { order: 'o-1234567890', reason: 'payment reminder', n: 1 }
