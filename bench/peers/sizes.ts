// How large the work is: the whole comparison in less than 45 minutes on two cores, the quick one in three.

export type Size = {
  /** So many systems work at the same time. */
  readonly atOnce: number
  readonly rounds: number
  readonly latenessRounds: number
  readonly createsMs: number
  readonly bulk: number
  readonly burst: number
  readonly postBurst: number
  readonly defaultBurst: number
  readonly latenessMs: number
  readonly dayMs: number
  readonly dayPerSecond: number
  readonly idleMs: number
  readonly stored: number
  readonly recovery: number
  readonly recoveryWithinMs: number
  readonly growth: Growth
  /** Of what a system is asked for at most, where it has such a limit. */
  readonly shareOfCapacity: number
  /** Between the last create of a burst and its time. */
  readonly leadMs: number
  /** After its time something may be done so much later. */
  readonly lateMaxMs: number
  /** For everything that a system does in one round. */
  readonly withinMs: number
}

/** The same work with few and with many stored, side by side. */
export type Growth = {
  readonly few: number
  readonly many: number
  readonly slices: number
  readonly createsMs: number
  readonly burst: number
  readonly latenessMs: number
  readonly settleMs: number
  /** What came in has been dealt with after so long, and a server of its own has given back what it wants to give back. */
  readonly serverRestMs: number
}

export const FULL: Size = {
  atOnce: 1,
  rounds: 3,
  latenessRounds: 3,
  createsMs: 3_000,
  bulk: 30_000,
  burst: 50_000,
  postBurst: 20_000,
  defaultBurst: 1_000,
  latenessMs: 5_000,
  dayMs: 10_000,
  dayPerSecond: 400,
  idleMs: 4_000,
  stored: 200_000,
  recovery: 5_000,
  recoveryWithinMs: 63_000, // BullMQ looks for stalled jobs every 30 s, and the second look decides
  growth: {
    few: 10_000,
    many: 1_000_000,
    slices: 3,
    createsMs: 1_000,
    burst: 20_000,
    latenessMs: 5_000,
    settleMs: 2_000,
    serverRestMs: 50_000,
  },
  shareOfCapacity: 1,
  leadMs: 2_000,
  lateMaxMs: 60_000,
  withinMs: 300_000,
}

export const QUICK: Size = {
  atOnce: 4, // its figures mean nothing
  rounds: 1,
  latenessRounds: 1,
  createsMs: 500,
  bulk: 2_000,
  burst: 1_000,
  postBurst: 500,
  defaultBurst: 100,
  latenessMs: 1_000,
  dayMs: 1_000,
  dayPerSecond: 100,
  idleMs: 500,
  stored: 1_000,
  recovery: 300,
  recoveryWithinMs: 2_000,
  growth: {
    few: 500,
    many: 2_000,
    slices: 1,
    createsMs: 300,
    burst: 400,
    latenessMs: 500,
    settleMs: 100,
    serverRestMs: 100,
  },
  shareOfCapacity: 0.1,
  leadMs: 500,
  lateMaxMs: 15_000,
  withinMs: 40_000,
}
