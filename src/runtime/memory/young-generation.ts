// V8 doubles the space for new objects whenever many of them survive, up to 16 MiB twice, and hardly ever gives it back. While a
// program loads its code nearly everything survives, so a service that has not served anybody yet would keep all of
// it. It is therefore not let grow before the service listens; under load it grows as ever, which creates need (with
// 1 MiB they cost a fifth more).

import { setFlagsFromString } from 'node:v8'

const GROWTH_FACTOR = 2 // V8's own

export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

export function releaseYoungGeneration(): void {
  setFlagsFromString(`--semi-space-growth-factor=${GROWTH_FACTOR}`)
}
