// How many random values a test tries: a fifth of them in the fast loop, all of them in `npm test`.

export function runs(all: number): number {
  return process.env['DUETIME_TEST_RUNS'] === 'few' ? Math.ceil(all / 5) : all
}
