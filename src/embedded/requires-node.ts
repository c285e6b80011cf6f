// The first import of the library: on a Node that is too old it fails with one sentence, before anything else is loaded.

import { nodeFault } from '../runtime/supported-node.ts'

const fault = nodeFault(process.versions.node)
if (fault !== null) throw new Error(fault)
