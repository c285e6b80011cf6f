#!/usr/bin/env node
// The one binary. What it can do is in cli/program.ts, which is loaded once it is known that this Node can load it. No
// `await` here: an old Node would refuse the whole file.

import { nodeFault } from './runtime/supported-node.ts'

const fault = nodeFault(process.versions.node)
if (fault === null) {
  void import('./cli/run.ts')
} else {
  process.stderr.write(`${fault}\n`)
  process.exitCode = 1
}
