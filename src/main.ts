#!/usr/bin/env node
// The one binary. What it can do is in cli/program.ts.

import { actions } from './cli/actions.ts'
import { runMain } from './cli/program.ts'
import { endQuietlyWithReader } from './cli/terminal.ts'

endQuietlyWithReader()
process.exitCode = await runMain(process.argv.slice(2), actions)
