// Every contract that is served, in one list: server.ts mounts it, and the tests that hold for all of them go through
// it. The first one also answers for paths that belong to nobody; `groups` comes behind those it shares a path with.

import type { Contract } from './contract.ts'
import { cyclesContract } from './cycles/contract.ts'
import { groupsContract } from './groups/contract.ts'
import { platformContract } from './platform/contract.ts'
import { v1Contract } from './v1/contract.ts'

export const CONTRACTS: readonly [Contract, ...Contract[]] = [
  v1Contract,
  cyclesContract,
  groupsContract,
  platformContract,
]
