// The rows of the comparison with other systems: what is counted, in which unit, and whether more of it is better. Goals and
// pictures name them by their keys.

export type Better = 'more' | 'less'
export type RowKind = { readonly what: string; readonly unit: string; readonly better: Better }

export const ROWS = {
  creates: { what: 'single creates, 64 in flight', unit: '/s', better: 'more' },
  createCpu: { what: 'CPU of a single create, all processes', unit: 'µs', better: 'less' },
  bulk: { what: 'creates in bulk', unit: '/s', better: 'more' },
  burst: { what: '50,000 due at once, a function each', unit: '/s', better: 'more' },
  burstDefault: { what: '1,000 due at once, default settings', unit: '/s', better: 'more' },
  postBurst: { what: '20,000 due at once, an HTTP POST each', unit: '/s', better: 'more' },
  postCpu: { what: 'CPU of a firing by HTTP POST, all processes', unit: 'µs', better: 'less' },
  latenessDefault: { what: 'lateness p99 at 100/s, default settings', unit: 'ms', better: 'less' },
  lateness: { what: 'lateness p99 at 100/s, a function each', unit: 'ms', better: 'less' },
  latenessPost: { what: 'lateness p99 at 100/s, at an HTTP receiver', unit: 'ms', better: 'less' },
  idle: { what: 'CPU while nothing is due, of a core', unit: '%', better: 'less' },
  recovery: { what: 'killed in a burst: everything was done after', unit: 's', better: 'less' },
  doubled: { what: 'killed in a burst: done twice, of 5,000', unit: 'timers', better: 'less' },
  dayCpu: { what: 'CPU of a timer in a day, all processes', unit: 'µs', better: 'less' },
  disk: { what: 'disk of 1,000,000 timers', unit: 'MiB', better: 'less' },
  memory: { what: 'memory of program and server, 1,000,000 stored', unit: 'MiB', better: 'less' },
  serviceEmpty: { what: 'memory of the server alone, nothing stored', unit: 'MiB', better: 'less' },
  serviceFull: { what: 'memory of the server alone, after 1,000,000 came in', unit: 'MiB', better: 'less' },
  createsGrown: { what: 'single creates, 1,000,000 stored', unit: '/s', better: 'more' },
  burstGrown: { what: '20,000 due at once, 1,000,000 stored', unit: '/s', better: 'more' },
  latenessGrown: { what: 'lateness p99 at 1,000/s, 1,000,000 stored', unit: 'ms', better: 'less' },
  createsGrowth: { what: 'single creates, 1,000,000 against 10,000 stored', unit: 'times', better: 'more' },
  burstGrowth: { what: 'due at once, 1,000,000 against 10,000 stored', unit: 'times', better: 'more' },
  latenessGrowth: { what: 'lateness p99 at 1,000/s, 1,000,000 against 10,000', unit: 'times', better: 'less' },
} as const satisfies Readonly<Record<string, RowKind>>

export type RowKey = keyof typeof ROWS
