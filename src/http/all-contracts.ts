// Every contract that is served, in one list: server.ts mounts it, and the tests that hold for all of them go through
// it. The first one also answers for paths that belong to nobody.

import type { Contract } from './contract.ts'
import { v1Contract } from './contracts/v1/contract.ts'

export const CONTRACTS: readonly [Contract, ...Contract[]] = [v1Contract]
